//! Modules that try to harm the harness. Whatever they do, a run ends in time with a suitable
//! verdict, uses little memory, and leaves nothing behind.

use super::watched::{Seen, watched};
use crate::calls::is_nightly;
use crate::common::{
    Call, NOBODY, STICKLER, as_nobody, compile, root, several_a_cpu, side_by_side,
};
use crate::held;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::Duration;
use toml::{Table, Value};

/// The harness's peak memory may be at most this, in KiB.
const MEMORY_KIB: u64 = 256 << 10;

/// A module of `fixtures/hostile`, and the expected result.
#[derive(Clone, Copy)]
struct Trick {
    /// The module's file; its name describes the trick.
    file: &'static str,
    /// The run's exit code.
    exit: i32,
    /// Rules that must fail; others may fail too.
    fails: &'static [&'static str],
    /// How long the run may take, in seconds, on a busy machine.
    seconds: u64,
    /// Arguments of `stickler check`.
    arguments: &'static [&'static str],
    /// Deadlines in seconds, if the default ones would make the test slow.
    deadlines: &'static [(&'static str, f64)],
    /// Does it take so long that a push does not try it?
    nightly: bool,
}

impl Trick {
    const fn new(file: &'static str, fails: &'static [&'static str]) -> Self {
        Trick {
            file,
            exit: if fails.is_empty() { 0 } else { 1 },
            fails,
            seconds: 600,
            arguments: &["--quick"],
            deadlines: &[],
            nightly: false,
        }
    }

    /// Takes long: a push does not try it.
    const fn nightly(mut self) -> Self {
        self.nightly = true;
        self
    }

    /// Runs the whole suite.
    const fn whole(self) -> Self {
        self.given(&[])
    }

    /// Runs with these arguments.
    const fn given(mut self, arguments: &'static [&'static str]) -> Self {
        self.arguments = arguments;
        self
    }

    /// Allows this many seconds.
    const fn within(mut self, seconds: u64) -> Self {
        self.seconds = seconds;
        self
    }

    /// The failures only fail a run with `--strict`.
    const fn lenient(mut self) -> Self {
        self.exit = 0;
        self
    }

    /// Shortens deadlines, because hangs would take long.
    const fn hurried(mut self, seconds: &'static [(&'static str, f64)]) -> Self {
        self.deadlines = seconds;
        self
    }
}

const ALL_SHORT: &[(&str, f64)] = &[("validate", 1.0), ("evaluate", 1.0), ("terminate", 1.0)];
const SHORT: &[(&str, f64)] = &[("evaluate", 1.0)];
const TRICKS: &[Trick] = &[
    Trick::new("allocates.c", &["PM902"]).nightly(),
    Trick::new("answers_early.py", &["PM202"]),
    Trick::new("chats_on_stderr.py", &[]),
    Trick::new("closes_everything.sh", &["PM101"]),
    Trick::new("closes_stdin.sh", &["PM902"]).hurried(ALL_SHORT),
    Trick::new("closes_stdout.py", &["PM902"])
        .hurried(ALL_SHORT)
        .nightly(),
    Trick::new("daemonises.py", &["PM309"]).lenient().nightly(),
    Trick::new("deep_directories.py", &["PM701"]),
    Trick::new("deep_json.py", &[]),
    Trick::new("deletes_itself.sh", &["PM101"]),
    Trick::new("devours_descriptors.py", &[]),
    Trick::new("endless_line.sh", &["PM101"]),
    Trick::new("erases_everything.sh", &["PM902"])
        .hurried(SHORT)
        .nightly(),
    Trick::new("escapes_in_logs.py", &["PM509"]),
    // Whether it ends before a request or during one is a race.
    Trick::new("exits_early.sh", &["PM307"]),
    Trick::new("fills_disk.py", &["PM701"]).nightly(),
    Trick::new("floods_at_end.sh", &["PM214"]),
    Trick::new("floods_stderr.py", &["PM902"]),
    Trick::new("floods_stdout.py", &["PM215", "PM902"]),
    Trick::new("fork_bomb.c", &["PM902"]).nightly(),
    Trick::new("fork_bomb.sh", &["PM902"]).hurried(SHORT),
    Trick::new("gigantic_header.py", &["PM101"]),
    Trick::new("header_unasked.py", &[]),
    Trick::new("holds_pipe_in_grandchild.sh", &["PM309"]).lenient(),
    Trick::new("ignores_signals.py", &["PM307"]).hurried(ALL_SHORT),
    Trick::new("kills_parent.py", &["PM310"]),
    Trick::new("leaves_directory.py", &["PM701"]),
    Trick::new("looks_around.py", &[]),
    Trick::new("many_files.py", &["PM701"])
        .given(&["--quick", "--select", "PM701", "--time", "none"])
        .nightly(),
    Trick::new("many_logs.py", &["PM215"]).lenient(),
    // The kernel needs a long time to delete so many files.
    Trick::new("million_files.c", &["PM804"])
        .given(&["--quick", "--shard", "1/8"])
        .nightly(),
    Trick::new("never_done.py", &["PM902"]).hurried(ALL_SHORT),
    Trick::new("never_reads.sh", &["PM902"]).hurried(ALL_SHORT),
    Trick::new("plants_links.py", &["PM701"]),
    Trick::new("reads_drop_by_drop.py", &["PM213"]).nightly(),
    Trick::new("replaces_itself.py", &["PM802"]),
    Trick::new("segfaults.c", &["PM901"]),
    Trick::new("silent.sh", &["PM106"]).whole().within(300),
    Trick::new("silent_after_header.sh", &["PM902"])
        .whole()
        .within(300),
    Trick::new("slow_bytes.py", &[]).nightly(),
    Trick::new("stops_itself.sh", &["PM902"]).hurried(SHORT),
    Trick::new("turns_after_fifty.py", &["PM404"]),
    Trick::new("uses_pty.py", &[]),
    Trick::new("vanishes.c", &["PM310"]),
    Trick::new("writes_to_terminal.py", &[]),
];

/// The folder of what the modules import.
const LIBRARY: &str = "library";

/// The user who runs the harness.
#[derive(Clone, Copy, PartialEq, Eq)]
enum As {
    Oneself,
    Nobody,
}

/// A folder with a module and its configuration.
struct Stage {
    /// The user's folder: the module and its `stickler.toml`.
    folder: tempfile::TempDir,
    /// The harness's own TMPDIR.
    temporary: tempfile::TempDir,
    /// What marks the environment of all processes of the run: the path of the folder.
    mark: String,
    user: As,
}

impl Stage {
    fn new(trick: &Trick, user: As) -> Stage {
        let folder = tempfile::tempdir().expect("a folder");
        let mark = folder.path().display().to_string();
        let library = folder.path().join(LIBRARY);
        fs::create_dir(&library).expect("a folder");
        let temporary = tempfile::tempdir().expect("a folder");
        for base in ["base.py", "plain_json.py", "base.sh"] {
            fs::copy(
                root().join("fixtures/mutants").join(base),
                library.join(base),
            )
            .expect("copied");
        }
        let source = root().join("fixtures/hostile").join(trick.file);
        let stem = source
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let name = match source.extension().and_then(|e| e.to_str()) {
            Some("c") => {
                let program = compile(&source, &library, &[]);
                fs::rename(program, folder.path().join(&stem)).expect("moved");
                stem
            }
            _ => {
                fs::copy(&source, folder.path().join(trick.file)).expect("copied");
                trick.file.to_owned()
            }
        };
        fs::write(
            folder.path().join("stickler.toml"),
            config(trick, &name, &library, &mark),
        )
        .expect("written");
        for own in [folder.path(), &library, temporary.path()] {
            let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            fs::set_permissions(own, everybody).expect("opened");
            if user == As::Nobody {
                std::os::unix::fs::chown(own, Some(NOBODY), Some(NOBODY)).expect("given");
            }
        }
        Stage {
            folder,
            temporary,
            mark,
            user,
        }
    }

    /// A command of Stickler's in the folder.
    fn command(&self, name: &str) -> Call {
        let mut command = match self.user {
            As::Oneself => Call::of(STICKLER),
            As::Nobody => as_nobody(),
        };
        command.arg(name);
        self.place(command)
    }

    /// A call in the folder.
    fn place(&self, mut command: Call) -> Call {
        command
            .current_dir(self.folder.path())
            .env_remove("CI")
            .env("NO_COLOR", "1")
            .env("TMPDIR", self.temporary.path())
            .env("MARK", &self.mark);
        command
    }

    /// Everything that should not exist after a run.
    fn remains(&self) -> Vec<String> {
        let mut remains = Vec::new();
        for process in fs::read_dir("/proc").expect("/proc").flatten() {
            let read = |name: &str| fs::read(process.path().join(name)).unwrap_or_default();
            for text in [read("environ"), read("cmdline")] {
                if text
                    .windows(self.mark.len())
                    .any(|part| part == self.mark.as_bytes())
                {
                    remains.push(format!("the process {}", process.path().display()));
                }
            }
        }
        for entry in fs::read_dir(self.temporary.path())
            .expect("TMPDIR")
            .flatten()
        {
            remains.push(format!("{} in TMPDIR", entry.path().display()));
        }
        for entry in fs::read_dir(self.folder.path())
            .expect("the folder")
            .flatten()
        {
            let name = entry.file_name().to_string_lossy().into_owned();
            let module = self.folder.path().join("stickler.toml");
            let text = fs::read_to_string(module).unwrap_or_default();
            if !["stickler.toml", ".stickler", LIBRARY].contains(&&name[..])
                && !text.contains(&format!("path = \"{name}\""))
            {
                remains.push(format!("{name} in the folder"));
            }
        }
        if !fs::read_to_string(self.folder.path().join("stickler.toml"))
            .is_ok_and(|text| text.contains(&self.mark))
        {
            remains.push("a changed stickler.toml".into());
        }
        remains
    }
}

fn config(trick: &Trick, module: &str, library: &Path, mark: &str) -> String {
    let mut subject = Table::new();
    let mut set = |key: &str, value: Value| {
        subject.insert(key.into(), value);
    };
    set("dialect", "promise-module".into());
    set("promise_type", "file_content".into());
    set("path", module.into());
    match Path::new(module).extension().and_then(|e| e.to_str()) {
        Some("py") => set("interpreter", "python3".into()),
        Some("sh") => set("interpreter", "/bin/bash".into()),
        _ => {}
    }
    let library = library.display().to_string();
    let env = [
        ("PYTHONPATH", &library[..]),
        ("BASE", &library[..]),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("MARK", mark),
    ];
    set(
        "env",
        Value::Table(
            env.map(|(k, v)| (k.to_owned(), Value::from(v)))
                .into_iter()
                .collect(),
        ),
    );
    if !trick.deadlines.is_empty() {
        let deadlines = trick
            .deadlines
            .iter()
            .map(|(k, v)| ((*k).to_owned(), Value::from(*v)));
        set("deadlines", Value::Table(deadlines.collect()));
    }
    let example: Table = "promiser = '{dir}/greeting'\nattributes = { message = 'Hello, world' }\nexpect = ['repaired', 'kept']"
        .parse()
        .expect("TOML");
    let mut config = Table::new();
    config.insert("subject".into(), Value::Table(subject));
    config.insert("example".into(), Value::Array(vec![Value::Table(example)]));
    toml::to_string(&config).expect("TOML")
}

/// Runs a trick, the first time with the sessions of its rules alone. Returns a line for the table, and what is wrong.
fn tried(trick: &Trick, user: As, more: &[&str], is_first: bool) -> (String, String) {
    let stage = Stage::new(trick, user);
    let mut command = stage.command("check");
    let held = held::folder(&[stage.folder.path()]);
    command
        .args(["--format", "json", "--jobs", "2"])
        .args(trick.arguments)
        .args(more)
        .envs(held.map(|held| ("STICKLER_HELD", held)));
    let is_narrow = is_first && trick.arguments == ["--quick"] && !trick.fails.is_empty();
    if is_narrow && !is_nightly() {
        command.args(["--sessions-for", &trick.fails.join(",")]);
    }
    let seen = watched(command, Duration::from_secs(trick.seconds));
    let mut wrong = String::new();
    let mut complain = |text: String| {
        let _ = writeln!(wrong, "    {text}");
    };
    let lines: Vec<serde_json::Value> = seen
        .out
        .lines()
        .filter_map(|line| match serde_json::from_str(line) {
            Ok(value) => Some(value),
            Err(_) => {
                complain(format!("no JSON: {line}"));
                None
            }
        })
        .collect();
    let mut verdicts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in lines.iter().filter(|line| line["event"] == "rule") {
        let (verdict, rule) = (
            line["verdict"].as_str().unwrap_or(""),
            line["rule"].as_str().unwrap_or(""),
        );
        verdicts.entry(verdict).or_default().insert(rule);
    }
    let failed = verdicts.remove("fail").unwrap_or_default();
    let flaky = verdicts.remove("flaky").unwrap_or_default();
    match seen.status {
        None => complain(format!("not done after {} s", trick.seconds)),
        Some(status) if status.signal().is_some() => complain(format!("ended by {status}")),
        Some(status) if status.code() != Some(trick.exit) => {
            complain(format!("{status} instead of {}", trick.exit));
        }
        Some(_) => {
            if lines.last().is_none_or(|line| line["event"] != "summary") {
                complain("no summary".into());
            }
        }
    }
    for rule in trick.fails.iter().filter(|rule| !failed.contains(**rule)) {
        complain(format!("{rule} does not fail"));
    }
    harmed(&stage, &seen).into_iter().for_each(complain);
    let join = |codes: &BTreeSet<&str>| codes.iter().copied().collect::<Vec<_>>().join(" ");
    let line = format!(
        "{:<30} {:>5.1} s {:>4} MiB  fails: {}  flaky: {}\n",
        trick.file,
        seen.seconds,
        seen.peak_kib >> 10,
        join(&failed),
        join(&flaky),
    );
    if !wrong.is_empty() {
        for line in lines
            .iter()
            .filter(|line| line["verdict"] == "fail" || line["verdict"] == "flaky")
        {
            let _ = writeln!(wrong, "      {} {}", line["rule"], line["message"]);
        }
        let _ = writeln!(
            wrong,
            "      {}",
            seen.err.trim_end().replace('\n', "\n      ")
        );
        wrong = format!("{line}{wrong}");
    }
    (line, wrong)
}

/// What a run has used too much of, and what it has left behind.
fn harmed(stage: &Stage, seen: &Seen) -> Vec<String> {
    let mut harm: Vec<String> = stage.remains();
    for remains in &mut harm {
        remains.insert_str(0, "left behind: ");
    }
    if seen.peak_kib >= MEMORY_KIB {
        harm.push(format!("{} MiB of memory", seen.peak_kib >> 10));
    }
    harm
}

/// Holds a short campaign with a trick. Returns a line for the table, and what is wrong.
fn campaigned(trick: &Trick) -> (String, String) {
    let stage = Stage::new(trick, As::Oneself);
    let mut command = stage.command("fuzz");
    command.args(["--format", "json", "--jobs", "1", "--for", "4s"]);
    let seen = watched(command, Duration::from_secs(trick.seconds));
    let lines = seen.out.lines();
    let lines: Vec<Option<serde_json::Value>> =
        lines.map(|line| serde_json::from_str(line).ok()).collect();
    let mut harm = harmed(&stage, &seen);
    // A module that cannot be started or tested is told as such.
    let is_usual = |code| [0, 1, 3, 4].contains(&code);
    match seen.status.map(|status| status.code()) {
        None => harm.push(format!("not done after {} s", trick.seconds)),
        Some(Some(code)) if is_usual(code) => {}
        Some(code) => harm.push(format!("ended by {code:?}")),
    }
    if lines.contains(&None) {
        harm.push("a line is no JSON".into());
    }
    let ended = lines.last().and_then(Option::as_ref);
    let code = seen.status.and_then(|status| status.code());
    if ended.is_none_or(|line| line["event"] != "summary") && [Some(0), Some(1)].contains(&code) {
        harm.push("no summary".into());
    }
    let found = lines.iter().flatten();
    let found: BTreeSet<&str> = found.filter_map(|line| line["rule"].as_str()).collect();
    let line = format!(
        "{:<30} {:>5.1} s {:>4} MiB  campaign, exit code {code:?}: {}\n",
        trick.file,
        seen.seconds,
        seen.peak_kib >> 10,
        found.into_iter().collect::<Vec<_>>().join(" "),
    );
    let harm: String = harm.iter().map(|harm| format!("    {harm}\n")).collect();
    match harm.is_empty() {
        true => (line, harm),
        false => (line.clone(), format!("{line}{harm}      {}\n", seen.err)),
    }
}

/// Adds a line to the table in `target/hostile.txt`.
fn note(line: &str, wrong: &str) {
    use std::io::Write as _;
    let path = root().join("target/hostile.txt");
    let text = if wrong.is_empty() { line } else { wrong };
    if let Ok(mut file) = fs::File::options().append(true).create(true).open(path) {
        let _ = file.write_all(text.as_bytes());
    }
}

/// Runs several tricks, a few at a time.
fn all_tried(tricks: &[Trick], user: As, more: &[&str]) {
    none_harms(tricks, |trick, is_first| tried(trick, user, more, is_first));
}

fn none_harms(tricks: &[Trick], run: impl Fn(&Trick, bool) -> (String, String) + Sync) {
    let only = std::env::var("STICKLER_HOSTILE").unwrap_or_default();
    let tricks: Vec<Trick> = tricks
        .iter()
        .filter(|trick| trick.file.contains(&only))
        .copied()
        .collect();
    // Most of their time is waiting.
    let results = several_a_cpu(2, &tricks, |trick| {
        let (mut line, mut wrong) = run(trick, true);
        if !wrong.is_empty() {
            // The machine may have been busy with another trick, so try again: less runs now.
            (line, wrong) = run(trick, false);
        }
        note(&line, &wrong);
        (line, wrong)
    });
    let lines: String = results.iter().map(|(line, _)| &line[..]).collect();
    let wrong: String = results.iter().map(|(_, wrong)| &wrong[..]).collect();
    assert!(wrong.is_empty(), "\n{lines}\n{wrong}");
}

fn tricks(choose: impl Fn(&Trick) -> bool) -> Vec<Trick> {
    TRICKS
        .iter()
        .filter(|trick| choose(trick))
        .copied()
        .collect()
}

fn leave_no_mounts(run: impl FnOnce()) {
    let mounts = || fs::read_to_string("/proc/self/mountinfo").expect("mounts");
    let before = mounts();
    run();
    assert_eq!(mounts(), before, "mounts are left");
}

#[test]
#[ignore = "takes minutes on a quiet machine: `ci/hostile` runs it"]
fn no_module_harms_the_harness() {
    leave_no_mounts(|| all_tried(&tricks(|trick| !trick.nightly), As::Oneself, &[]));
}

#[test]
#[ignore = "takes minutes on a quiet machine: `ci/hostile` runs it"]
fn no_slow_module_harms_the_harness() {
    leave_no_mounts(|| all_tried(&tricks(|trick| trick.nightly), As::Oneself, &[]));
}

#[test]
#[ignore = "takes minutes on a quiet machine: `ci/hostile` runs it"]
fn campaigns_withstand_them() {
    leave_no_mounts(|| none_harms(TRICKS, |trick, _| campaigned(trick)));
}

/// Is root running this test, so that it can change the user?
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

#[test]
#[ignore = "takes minutes on a quiet machine: `ci/hostile` runs it"]
fn no_module_harms_an_unprivileged_user() {
    if !is_root() {
        return;
    }
    let tricks: Vec<Trick> = [
        "daemonises.py",
        "deletes_itself.sh",
        "endless_line.sh",
        "fills_disk.py",
        "floods_stdout.py",
        "fork_bomb.sh",
        "kills_parent.py",
        "looks_around.py",
        "plants_links.py",
        "stops_itself.sh",
        "vanishes.c",
        "writes_to_terminal.py",
    ]
    .into_iter()
    .filter_map(|file| TRICKS.iter().find(|trick| trick.file == file))
    .copied()
    .collect();
    all_tried(&tricks, As::Nobody, &[]);
}

/// Tricks that harm neither the machine nor other processes, even without isolation.
const HARMLESS: &[&str] = &[
    "answers_early.py",
    "chats_on_stderr.py",
    "closes_everything.sh",
    "closes_stdout.py",
    "endless_line.sh",
    "floods_at_end.sh",
    "gigantic_header.py",
    "segfaults.c",
    "stops_itself.sh",
    "uses_pty.py",
];

#[test]
#[ignore = "takes minutes on a quiet machine: `ci/hostile` runs it"]
fn the_other_sandboxes_withstand_the_harmless_ones() {
    let tricks = tricks(|trick| HARMLESS.contains(&trick.file));
    assert_eq!(tricks.len(), HARMLESS.len());
    for tier in ["copy", "none"] {
        // In these tiers only the harness ends leftover processes.
        let mut tricks = tricks.clone();
        if tier == "copy" {
            tricks.extend(TRICKS.iter().filter(|trick| {
                ["daemonises.py", "holds_pipe_in_grandchild.sh"].contains(&trick.file)
            }));
        }
        all_tried(&tricks, As::Oneself, &["--sandbox", tier]);
    }
}

/// Checks that a report contains only safe characters, whatever a module logged.
fn assert_tame(format: &str, text: &str) {
    let wild = text.char_indices().find(|(_, c)| {
        (c.is_control() && !['\n', '\t'].contains(c)) || ['\u{2028}', '\u{202e}'].contains(c)
    });
    if let Some((at, c)) = wild {
        let line = text[..at].lines().last().unwrap_or("");
        panic!("{format}: {c:?} after {line:?}");
    }
    for line in text.lines().map(str::trim_start) {
        let command = ["##", "::", "not ok", "ok ", "Bail out!"]
            .iter()
            .any(|start| line.starts_with(start));
        assert!(
            !command || !line.contains("hostile") || line.contains("PM"),
            "{format}: {line}"
        );
        // Only one format interprets markup.
        assert!(
            format != "junit" || !line.contains("<hostile"),
            "{format}: {line}"
        );
    }
}

#[test]
#[ignore = "takes minutes on a quiet machine: `ci/hostile` runs it"]
fn reports_hold_no_commands_for_terminals_or_ci_systems() {
    let trick = TRICKS
        .iter()
        .find(|trick| trick.file == "escapes_in_logs.py")
        .expect("known");
    // A badge holds no text of a module.
    let formats = [
        "pretty", "json", "junit", "sarif", "tap", "github", "markdown", "html",
    ];
    let reports = side_by_side(&formats, |format| {
        let stage = Stage::new(trick, As::Oneself);
        let mut command = stage.command("check");
        command.args(["--quick", "--verbose", "--format", format]);
        watched(command, Duration::from_secs(trick.seconds))
    });
    for (format, report) in formats.iter().zip(reports) {
        assert!(
            report.out.contains("PM509"),
            "{format}: {}{}",
            report.out,
            report.err
        );
        assert_tame(format, &report.out);
        assert_tame(format, &report.err);
    }
}

#[test]
fn the_users_terminal_is_out_of_reach() {
    let trick = TRICKS
        .iter()
        .find(|trick| trick.file == "writes_to_terminal.py")
        .expect("known");
    let stage = Stage::new(trick, As::Oneself);
    let log = tempfile::tempdir().expect("a folder");
    let screen = log.path().join("screen");
    let check = format!(
        "{} check --quick --format json > {}/out",
        STICKLER,
        log.path().display()
    );
    let mut script = Call::of("script");
    script
        .args(["--quiet", "--return", "--flush", "--command", &check])
        .arg(&screen);
    let seen = watched(stage.place(script), Duration::from_secs(trick.seconds));
    assert_eq!(
        seen.status.and_then(|status| status.code()),
        Some(0),
        "{}{}",
        seen.out,
        seen.err
    );
    for text in [&seen.out, &fs::read_to_string(&screen).expect("the screen")] {
        assert!(!text.contains("hostile words"), "{text}");
        assert!(!text.contains("hostile keys"), "{text}");
    }
    assert_eq!(stage.remains(), Vec::<String>::new());
}

#[test]
fn every_hostile_module_is_tried() {
    let tried: BTreeSet<String> = TRICKS.iter().map(|trick| trick.file.to_owned()).collect();
    let there: BTreeSet<String> = fs::read_dir(root().join("fixtures/hostile"))
        .expect("fixtures")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(there, tried);
}
