//! What the end-to-end tests share.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::calls::is_nightly;
use crate::digest;
use crate::held;

pub use crate::calls::Call;
pub use crate::pool::{several_a_cpu, side_by_side};

/// The path of the binary under test.
pub const STICKLER: &str = env!("CARGO_BIN_EXE_stickler");

/// The binary under test, in a user's environment.
pub fn stickler() -> Call {
    let mut command = Call::of(STICKLER);
    command
        .env_remove("CI")
        .env_remove("TF_BUILD")
        .env("NO_COLOR", "1");
    command
}

/// A user who owns nothing and has no privileges.
pub const NOBODY: u32 = 65_534;

/// The binary under test, called by that user. Only root can call it so.
pub fn as_nobody() -> Call {
    let id = NOBODY.to_string();
    let setpriv = [
        "setpriv",
        "--reuid",
        &id,
        "--regid",
        &id,
        "--clear-groups",
        "--",
    ];
    let mut command = Call::of(readable_binary());
    command.through(&setpriv);
    command
}

/// A copy of the binary that every user can run.
fn readable_binary() -> &'static Path {
    static COPY: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = COPY.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(folder.path(), everybody).expect("opened");
        let path = folder.path().join("stickler");
        fs::copy(STICKLER, &path).expect("copied");
        (folder, path)
    });
    path
}

/// The repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A verdict in the JSON lines.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct RuleLine {
    pub rule: String,
    pub level: String,
    pub verdict: String,
    pub message: Option<String>,
}

/// The output of `check --format json`.
pub struct Checked {
    pub exit: Option<i32>,
    pub rules: BTreeMap<String, RuleLine>,
    /// The number of sessions that were judged.
    pub sessions: u64,
    pub stderr: String,
}

impl Checked {
    /// The codes with one of these verdicts.
    pub fn with(&self, verdicts: &[&str]) -> Vec<String> {
        self.rules
            .values()
            .filter(|line| verdicts.contains(&&line.verdict[..]))
            .map(|line| line.rule.clone())
            .collect()
    }

    pub fn verdict(&self, rule: &str) -> &str {
        self.rules.get(rule).map_or("absent", |line| &line.verdict)
    }

    /// The failures with their messages.
    pub fn failures(&self) -> String {
        self.rules
            .values()
            .filter(|line| ["fail", "flaky", "xpass"].contains(&&line.verdict[..]))
            .map(|line| {
                format!(
                    "{} {} {}: {}\n",
                    line.rule,
                    line.verdict,
                    line.level,
                    line.message.as_deref().unwrap_or("")
                )
            })
            .collect()
    }
}

/// The part of the suite that a push holds with a sound subject; a nightly run holds all of it.
pub fn part() -> &'static [&'static str] {
    match is_nightly() {
        true => &[],
        false => &["--quick"],
    }
}

/// Runs `stickler check --format json` in a folder, however long it takes.
pub fn check(folder: &Path, arguments: &[&str]) -> Checked {
    check_with(folder, &[], arguments)
}

/// Like [`check`], for a subject with files outside the folder.
pub fn check_with(folder: &Path, files: &[PathBuf], arguments: &[&str]) -> Checked {
    let files = files.iter().map(PathBuf::as_path);
    let files: Vec<&Path> = files.chain([folder]).collect();
    let held = held::folder(&files);
    let output = stickler()
        .envs(held.map(|held| ("STICKLER_HELD", held)))
        // The folder may lie in this repository, whose state Go would ask git for.
        .env("GOFLAGS", "-buildvcs=false")
        .args(["check", "--format", "json", "--time", "none"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the binary runs");
    read(&output)
}

/// Runs `stickler judge --format json` on a file, with the rules that begin with a prefix.
pub fn judge(file: &Path, prefix: &str) -> Checked {
    let output = stickler()
        .args(["judge", "--format", "json", "--select", prefix])
        .arg(file)
        .output()
        .expect("the binary runs");
    read(&output)
}

fn read(output: &Output) -> Checked {
    let text = String::from_utf8_lossy(&output.stdout);
    let summary = text
        .lines()
        .find(|line| line.contains("\"event\":\"summary\""));
    let summary: Option<serde_json::Value> =
        summary.map(|line| serde_json::from_str(line).expect("a JSON line"));
    let rules = text
        .lines()
        .filter(|line| line.contains("\"event\":\"rule\""))
        .map(|line| {
            let line: RuleLine = serde_json::from_str(line).expect("a JSON line");
            (line.rule.clone(), line)
        })
        .collect();
    Checked {
        exit: output.status.code(),
        rules,
        sessions: summary.map_or(0, |line| line["sessions"].as_u64().unwrap_or(0)),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Compiles a C or Rust source file; returns the program, in a folder. The same text makes the same program, so it is
/// compiled once.
pub fn compile(source: &Path, folder: &Path, defines: &[String]) -> PathBuf {
    let name: String = defines.join("-").replace('=', "_");
    let stem = source.file_stem().expect("a name").to_string_lossy();
    let program = folder.join(format!("{stem}-{name}"));
    let mut hasher = blake3::Hasher::new();
    digest::add(source, &defines.join(" "), &mut hasher);
    let known = root().join(held::HELD).join(held::PROGRAMS);
    let known = known.join(digest::short(&hasher));
    // A link, since a copy that is still open for writing could not be run.
    if held::is_off() || fs::hard_link(&known, &program).is_err() {
        compile_anew(source, &program, defines);
        let _ = fs::create_dir_all(known.parent().expect("a folder"));
        let _ = fs::hard_link(&program, &known);
    }
    program
}

fn compile_anew(source: &Path, program: &Path, defines: &[String]) {
    let mut compiler = if source.extension().is_some_and(|e| e == "rs") {
        let mut rustc = Command::new("rustc");
        rustc
            .args(["-O", "--edition", "2024", "-o"])
            .arg(program)
            .arg(source);
        rustc
    } else {
        let mut cc = Command::new("cc");
        cc.args(["-O1", "-w"])
            .args(defines.iter().map(|define| format!("-D{define}")))
            .arg("-o")
            .arg(program)
            .arg(source);
        cc
    };
    let output = compiler.output().expect("the compiler runs");
    assert!(
        output.status.success(),
        "compiling {}: {}",
        source.display(),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// What a person at a terminal sees.
pub struct Screen {
    pub code: Option<i32>,
    /// Standard output, which goes to a file.
    pub stdout: String,
    /// Standard error, which is the terminal.
    pub stderr: String,
}

impl Screen {
    /// The codes of the failures that were told before the report.
    pub fn told(&self) -> Vec<&str> {
        let lines = self.stderr.split("so far: ").skip(1);
        lines
            .filter_map(|line| line.split_whitespace().nth(1))
            .collect()
    }
}

/// Runs Stickler at a terminal, with words that need no quotes.
pub fn on_terminal(folder: &Path, arguments: &[&str]) -> Screen {
    let files = tempfile::tempdir().expect("a folder");
    let (out, screen) = (files.path().join("out"), files.path().join("screen"));
    let words = [&[STICKLER], arguments].concat();
    let command = format!("{} > {}", words.join(" "), out.display());
    let ended = Call::of("script")
        .args(["--quiet", "--return", "--flush", "--command", &command])
        .arg(&screen)
        .env_remove("CI")
        .env_remove("TF_BUILD")
        .env("NO_COLOR", "1")
        .current_dir(folder)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("script runs");
    let text = |file: &Path| {
        let bytes = std::fs::read(file).expect("a file");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Screen {
        code: ended.status.code(),
        stdout: text(&out),
        stderr: text(&screen),
    }
}

/// A starter file with all its suggestions, and a name where one is to be filled in.
pub fn uncommented(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let bare = line.trim_start_matches("# ");
        format!("{}\n", bare.replace("\"TODO\"", "\"{dir}/a\""))
    });
    lines.collect()
}
