//! What campaigns do: the time to planted defects with and without feedback, and how they bear a long time and being
//! killed.

use crate::median::median;
use crate::suite::{binary, high_water};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often each planted defect is looked for.
const RUNS: u64 = 5;
/// For how long, at most.
const LIMIT: Duration = Duration::from_secs(60);
/// How long the long campaigns are.
const LONG: Duration = Duration::from_secs(180);
/// How many inputs the corpus of a night has, and how long their largest value is.
const NIGHT: usize = 30_000;
const LARGE: u64 = 30_000;
/// How often a campaign is killed.
const KILLS: u32 = 100;

const DEFECTS: [&str; 6] = [
    "magic_value",
    "second_byte",
    "variable",
    "letter_by_letter",
    "threshold",
    "five_steps",
];

pub fn fixtures() -> Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    Ok(root.canonicalize()?)
}

/// A module in a folder of its own, with its description.
pub struct Subject {
    pub folder: PathBuf,
}

impl Subject {
    fn new(folder: PathBuf, promise_type: &str, command: &[&str], promiser: &str) -> Result<Self> {
        std::fs::create_dir_all(&folder)?;
        std::fs::write(
            folder.join("stickler.toml"),
            format!(
                "[subject]\ndialect = \"promise-module\"\npromise_type = {promise_type:?}\ncommand = {command:?}\n\n[[example]]\nname = \"a greeting\"\npromiser = {promiser:?}\nattributes = {{ message = \"hello\", mode = \"0644\" }}\n"
            ),
        )?;
        Ok(Subject { folder })
    }

    /// The native module with a planted defect, which tells its branches if it is `guided`.
    pub fn native(folder: &Path, defect: &str, guided: bool) -> Result<Self> {
        let name = format!("native-{defect}-{guided}");
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder)?;
        let program = folder.join("gate");
        let mut cc = Command::new("cc");
        cc.args(["-O1", "-fno-builtin", "-o"])
            .arg(&program)
            .arg(fixtures()?.join("planted/gate.c"));
        if guided {
            cc.arg("-fsanitize-coverage=trace-pc,trace-cmp")
                .arg(fixtures()?.join("../harness/fuzz/shims/coverage.c"));
        }
        ensure!(cc.status().context("running cc")?.success(), "cc failed");
        let program = program.display().to_string();
        Subject::new(folder, "gate", &[&program, defect], "greeting")
    }

    /// A native module that says something else in answer to each message.
    fn talkative(folder: &Path) -> Result<Self> {
        let folder = folder.join("talkative");
        std::fs::create_dir_all(&folder)?;
        let (source, program) = (folder.join("talkative.c"), folder.join("talkative"));
        std::fs::write(&source, include_str!("talkative.c"))?;
        let mut cc = Command::new("cc");
        cc.args([
            "-O1",
            "-fno-builtin",
            "-fsanitize-coverage=trace-pc,trace-cmp",
            "-o",
        ]);
        cc.arg(&program).arg(&source);
        cc.arg(fixtures()?.join("../harness/fuzz/shims/coverage.c"));
        ensure!(cc.status().context("running cc")?.success(), "cc failed");
        let program = program.display().to_string();
        Subject::new(folder, "gate", &[&program], "greeting")
    }

    /// A module in Python: one with a planted defect, or the sound one.
    pub fn python(folder: &Path, defect: Option<&str>) -> Result<Self> {
        let folder = folder.join(format!("python-{}", defect.unwrap_or("base")));
        std::fs::create_dir_all(&folder)?;
        for library in ["base.py", "plain_json.py"] {
            std::fs::copy(
                fixtures()?.join("mutants").join(library),
                folder.join(library),
            )?;
        }
        let mut program = folder.join("base.py");
        if let Some(defect) = defect {
            program = folder.join("module.py");
            let from = fixtures()?.join("planted").join(format!("{defect}.py"));
            std::fs::copy(from, &program)?;
        }
        let program = program.display().to_string();
        let command = ["/usr/bin/python3", &program];
        Subject::new(folder, "file_content", &command, "{dir}/greeting")
    }

    pub fn bash(folder: &Path) -> Result<Self> {
        let program = fixtures()?.join("mutants/base.sh").display().to_string();
        let command = ["/bin/bash", &program];
        Subject::new(
            folder.join("bash"),
            "file_content",
            &command,
            "{dir}/greeting",
        )
    }

    pub fn campaign(&self, arguments: &[&str]) -> Result<Command> {
        let mut command = Command::new(binary()?);
        command
            .args(["fuzz", "--format", "json"])
            .args(arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        Ok(command)
    }

    /// Runs a fresh campaign; returns its lines.
    pub fn fresh(&self, arguments: &[&str]) -> Result<Vec<Value>> {
        let _ = std::fs::remove_dir_all(self.folder.join(".stickler"));
        let output = self.campaign(arguments)?.output()?;
        let lines = output.stdout.split(|byte| *byte == b'\n');
        lines
            .filter(|line| !line.is_empty())
            .map(|line| Ok(serde_json::from_slice(line)?))
            .collect()
    }
}

/// The time to each planted defect, with feedback and without.
pub fn planted(folder: &Path) -> Result<()> {
    for defect in DEFECTS {
        let native = Subject::native(folder, defect, true)?;
        compare("native", defect, &native)?;
        let python = Subject::python(folder, Some(defect))?;
        compare("Python", defect, &python)?;
    }
    Ok(())
}

/// Does something with each module that has a planted defect.
pub fn each_planted(folder: &Path, mut work: impl FnMut(&Subject) -> Result<()>) -> Result<()> {
    for defect in DEFECTS {
        work(&Subject::native(folder, defect, true)?)?;
        work(&Subject::python(folder, Some(defect))?)?;
    }
    Ok(())
}

/// In turns, so that the load of the machine falls on both.
fn compare(language: &str, defect: &str, subject: &Subject) -> Result<()> {
    let (mut guided, mut unguided, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 1..=RUNS {
        for (times, coverage) in [(&mut guided, "auto"), (&mut unguided, "off")] {
            let (took, size) = find(subject, seed, coverage)?;
            times.push(took);
            steps.extend(size);
        }
    }
    let (guided, unguided) = (median(guided), median(unguided));
    let shown = |time: Duration| match time >= LIMIT {
        true => format!("> {} s", LIMIT.as_secs()),
        false => format!("{:.1} s", time.as_secs_f64()),
    };
    steps.sort_unstable();
    let longest = steps.last().map_or("-".to_owned(), ToString::to_string);
    println!(
        "planted {language:<7} {defect:<17} guided {:>7}   unguided {:>7}   ratio {:>5.1}   longest reproducer {longest} steps   (median of {RUNS}; goal: ratio 10)",
        shown(guided),
        shown(unguided),
        unguided.as_secs_f64() / guided.as_secs_f64()
    );
    Ok(())
}

/// How long a campaign takes to find a defect that ends the module, and the steps of what shows it.
fn find(subject: &Subject, seed: u64, coverage: &str) -> Result<(Duration, Option<u64>)> {
    let (limit, seed) = (format!("{}s", LIMIT.as_secs()), seed.to_string());
    let lines = subject.fresh(&[
        "--until-finding",
        "--select",
        "PM901",
        "--jobs",
        "1",
        "--for",
        &limit,
        "--seed",
        &seed,
        "--coverage",
        coverage,
    ])?;
    let found = lines.iter().find(|line| line["event"] == "finding");
    let took = found.and_then(|line| line["seconds"].as_f64());
    let steps = found.and_then(|line| line["steps"].as_u64());
    Ok((took.map_or(LIMIT, Duration::from_secs_f64), steps))
}

/// The memory of a long campaign: on a small module, and with the corpus of a whole night.
pub fn long(folder: &Path) -> Result<()> {
    let small = Subject::native(folder, "none", true)?;
    let _ = std::fs::remove_dir_all(small.folder.join(".stickler"));
    let time = format!("{}s", LONG.as_secs());
    let memory = Memory::of(small.campaign(&["--for", &time])?)?;
    memory.tell("fuzz memory", "a small module");

    let night = Subject::talkative(folder)?;
    let (files, bytes) = prepare(&night.folder.join("prepared"))?;
    let merge = ["merge", "night/corpus", "prepared"];
    let mut command = Command::new(binary()?);
    command.arg("fuzz").args(merge).current_dir(&night.folder);
    let merged = Memory::of(command)?;
    let arguments = ["--folder", "night", "--seed", "1", "--for", &time];
    let memory = Memory::of(night.campaign(&arguments)?)?;
    let what = format!("a corpus of {files} inputs, {} MiB", bytes >> 20);
    memory.tell("fuzz night", &what);
    println!(
        "fuzz merge          {} MiB at most to merge that corpus   (goal: at most 512)",
        merged.peak >> 10
    );
    let (files, bytes) = size(&night.folder.join("night/corpus"))?;
    println!(
        "fuzz corpus         {files} inputs, {} MiB on disk at the end",
        bytes >> 20
    );
    Ok(())
}

/// The memory of a process, in KiB.
struct Memory {
    /// At most in the first tenth of the time of a long campaign.
    first: u64,
    /// At most.
    peak: u64,
    took: Duration,
}

impl Memory {
    /// Runs a command to its end.
    fn of(mut command: Command) -> Result<Self> {
        let mut child = command.stdout(Stdio::null()).spawn()?;
        let status = format!("/proc/{}/status", child.id());
        let began = Instant::now();
        let (mut first, mut peak) = (0, 0);
        let ended = loop {
            if let Some(ended) = child.try_wait()? {
                break ended;
            }
            peak = high_water(&status).unwrap_or(peak);
            if began.elapsed() < LONG / 10 {
                first = peak;
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        ensure!(
            ended.code().is_some_and(|code| code < 2),
            "it failed: {ended}"
        );
        let took = began.elapsed();
        Ok(Memory { first, peak, took })
    }

    fn tell(&self, name: &str, what: &str) {
        println!(
            "{name:<19} {} MiB at first, {} MiB at most in {} s: {what}   (goal: at most 512, flat)",
            self.first >> 10,
            self.peak >> 10,
            self.took.as_secs()
        );
    }
}

/// Writes inputs as a night finds them in a large module: each shows a form of answer of its own.
fn prepare(folder: &Path) -> Result<(usize, u64)> {
    std::fs::create_dir_all(folder)?;
    let mut state = 1_u64;
    let mut roll = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> 33
    };
    for number in 0..NIGHT {
        let length = 200 + roll() % LARGE;
        let letters = (0..length).map(|_| char::from(b'a' + (roll() % 26) as u8));
        let message: String = letters.collect();
        let input = serde_json::json!({ "steps": [{
            "do": "ask", "verb": "evaluate", "example": "a greeting", "kind": "gate",
            "identity": [["promiser", "greeting"]],
            "attributes": [["message", message], ["mode", "0644"]],
        }]});
        std::fs::write(folder.join(format!("{number}.json")), input.to_string())?;
    }
    size(folder)
}

/// The number of files in a folder, and their bytes.
fn size(folder: &Path) -> Result<(usize, u64)> {
    let (mut files, mut bytes) = (0, 0);
    for entry in std::fs::read_dir(folder)? {
        files += 1;
        bytes += entry?.metadata()?.len();
    }
    Ok((files, bytes))
}

/// Runs of one campaign, each killed at some moment.
pub fn killed(folder: &Path) -> Result<()> {
    let subject = Subject::native(folder, "variable", true)?;
    let own = subject.folder.join("killed");
    let (mut inputs, mut found): (BTreeSet<String>, BTreeSet<String>) = Default::default();
    let (mut lost, mut partial, mut repeated, mut backwards) = (0, 0, 0, 0);
    let (mut runs, mut cases) = (0, 0);
    for kill in 0..KILLS {
        let mut child = subject
            .campaign(&["--folder", "killed"])?
            .stdout(Stdio::piped())
            .spawn()?;
        // From the start of the process to well into the campaign.
        std::thread::sleep(Duration::from_millis(u64::from(kill * 37 % KILLS) * 15));
        child.kill()?;
        let output = child.wait_with_output()?;
        // A finding that was told is known, and told once.
        for line in output.stdout.split(|byte| *byte == b'\n') {
            let line: Value = serde_json::from_slice(line).unwrap_or_default();
            if let (Some("finding"), Some(signature)) =
                (line["event"].as_str(), line["signature"].as_str())
            {
                repeated += usize::from(!found.insert(signature.to_owned()));
            }
        }
        let now = whole(&own.join("corpus"), ".json", &mut partial)?;
        lost += inputs.difference(&now).count();
        inputs.extend(now);
        whole(&own.join("findings"), ".jsonl", &mut partial)?;
        let Ok(text) = std::fs::read(own.join("summary.json")) else {
            continue;
        };
        let summary: Value = serde_json::from_slice(&text).unwrap_or_default();
        let count = |key: &str| summary[key].as_u64().unwrap_or(0);
        backwards += u32::from(count("runs") < runs || count("total_cases") < cases);
        (runs, cases) = (count("runs"), count("total_cases"));
    }
    println!(
        "fuzz killed         {KILLS} times: {} inputs, {lost} lost, {partial} files partial, {} findings, {repeated} \
         told again, {cases} sessions in {runs} runs, {backwards} counters went back   (goal: nothing lost, partial, \
         told again)",
        inputs.len(),
        found.len()
    );
    Ok(())
}

/// The names of the files in a folder that end so; counts those that are not JSON lines.
fn whole(folder: &Path, end: &str, partial: &mut usize) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.display().to_string());
        let name = name.unwrap_or_default();
        // What is being written has another name.
        if !name.ends_with(end) || name.starts_with('.') {
            continue;
        }
        let text = std::fs::read(&path)?;
        let mut values = serde_json::Deserializer::from_slice(&text).into_iter::<Value>();
        *partial += usize::from(text.is_empty() || !values.all(|value| value.is_ok()));
        names.insert(name);
    }
    Ok(names)
}
