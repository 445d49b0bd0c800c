//! What campaigns do: messages a second, the time to planted defects with and without feedback, and
//! how they bear a long time and being killed.

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
/// For how long messages are counted.
const COUNTED: &str = "10s";
/// How long the long campaign is.
const LONG: Duration = Duration::from_secs(600);
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

fn fixtures() -> Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    Ok(root.canonicalize()?)
}

/// A module in a folder of its own.
struct Subject {
    folder: PathBuf,
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
    fn native(folder: &Path, defect: &str, guided: bool) -> Result<Self> {
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

    /// A module in Python: one with a planted defect, or the sound one.
    fn python(folder: &Path, defect: Option<&str>) -> Result<Self> {
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

    fn bash(folder: &Path) -> Result<Self> {
        let program = fixtures()?.join("mutants/base.sh").display().to_string();
        let command = ["/bin/bash", &program];
        Subject::new(
            folder.join("bash"),
            "file_content",
            &command,
            "{dir}/greeting",
        )
    }

    fn campaign(&self, arguments: &[&str]) -> Result<Command> {
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
    fn fresh(&self, arguments: &[&str]) -> Result<Vec<Value>> {
        let _ = std::fs::remove_dir_all(self.folder.join(".stickler"));
        let output = self.campaign(arguments)?.output()?;
        let lines = output.stdout.split(|byte| *byte == b'\n');
        lines
            .filter(|line| !line.is_empty())
            .map(|line| Ok(serde_json::from_slice(line)?))
            .collect()
    }
}

/// Messages a second, by one worker.
pub fn rates(folder: &Path) -> Result<()> {
    for (name, subject, coverage, goal) in [
        (
            "native",
            Subject::native(folder, "none", false)?,
            "off",
            100_000,
        ),
        (
            "native",
            Subject::native(folder, "none", true)?,
            "native",
            60_000,
        ),
        ("Python", Subject::python(folder, None)?, "off", 8_000),
        ("Python", Subject::python(folder, None)?, "python", 2_000),
        ("bash", Subject::bash(folder)?, "off", 300),
        ("bash", Subject::bash(folder)?, "bash", 300),
    ] {
        let arguments = [
            "--for",
            COUNTED,
            "--jobs",
            "1",
            "--seed",
            "1",
            "--coverage",
            coverage,
        ];
        let lines = subject.fresh(&arguments)?;
        let summary = lines.last().context("no summary")?;
        let rate = summary["requests_per_second"].as_f64().unwrap_or(0.0);
        println!(
            "fuzz {name:<7} {:<13} {rate:>8.0} messages a second   (one worker; goal: at least {goal})",
            if coverage == "off" {
                ""
            } else {
                "with coverage"
            }
        );
    }
    Ok(())
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

/// The memory of a long campaign.
pub fn long(folder: &Path) -> Result<()> {
    let subject = Subject::native(folder, "none", true)?;
    let _ = std::fs::remove_dir_all(subject.folder.join(".stickler"));
    let time = format!("{}s", LONG.as_secs());
    let mut child = subject
        .campaign(&["--for", &time])?
        .stdout(Stdio::null())
        .spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let began = Instant::now();
    let (mut first, mut peak) = (0, 0);
    while child.try_wait()?.is_none() {
        peak = high_water(&status).unwrap_or(peak);
        if began.elapsed() < LONG / 10 {
            first = peak;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    println!(
        "fuzz memory         {} MiB after one minute, {} MiB at most in {} minutes   (goal: at most 256, flat)",
        first >> 10,
        peak >> 10,
        LONG.as_secs() / 60
    );
    Ok(())
}

/// Campaigns on one corpus, each killed at some moment.
pub fn killed(folder: &Path) -> Result<()> {
    let subject = Subject::native(folder, "none", true)?;
    let corpus = subject.folder.join("killed");
    let (mut known, mut lost, mut partial): (BTreeSet<String>, usize, usize) = Default::default();
    for kill in 0..KILLS {
        let mut child = subject
            .campaign(&["--corpus", "killed"])?
            .stdout(Stdio::null())
            .spawn()?;
        // From the start of the process to well into the campaign.
        std::thread::sleep(Duration::from_millis(u64::from(kill * 37 % KILLS) * 15));
        child.kill()?;
        child.wait()?;
        let mut now = BTreeSet::new();
        for entry in std::fs::read_dir(&corpus).into_iter().flatten() {
            let path = entry?.path();
            let name = path.file_name().map(|name| name.display().to_string());
            let name = name.unwrap_or_default();
            // What is being written has another name.
            if !name.ends_with(".json") || name.starts_with('.') {
                continue;
            }
            let whole = serde_json::from_slice::<Value>(&std::fs::read(&path)?).is_ok();
            partial += usize::from(!whole);
            now.insert(name);
        }
        lost += known.difference(&now).count();
        known.extend(now);
    }
    println!(
        "fuzz killed         {KILLS} times: {} inputs, {lost} lost, {partial} partial   (goal: none)",
        known.len()
    );
    Ok(())
}
