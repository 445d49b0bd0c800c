//! How each fuzzer is set up for a gate. Each runs as one worker.

use super::defects::{Defect, Family, Language};
use super::race::race;
use crate::fuzz::Subject;
use crate::suite::binary;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fuzzer {
    Stickler,
    Boofuzz,
    Afl,
    Atheris,
}

pub const FUZZERS: [Fuzzer; 4] = [
    Fuzzer::Stickler,
    Fuzzer::Boofuzz,
    Fuzzer::Afl,
    Fuzzer::Atheris,
];

/// The words of the protocol, for AFL++.
const WORDS: &str = r#""operation="
"validate_promise"
"evaluate_promise"
"terminate"
"promiser="
"promise_type="
"log_level="
"attribute_message="
"attribute_mode="
"attribute_action_policy=warn"
"\x0a"
"\x0a\x0a"
"0644"
"0600"
"#;

/// The values of a promise, for Atheris.
const VALUES: &str = r#""\x00"
"w0644"
"0644"
"0600"
"#;

/// A gate in a folder of its own.
pub struct Gate<'a> {
    pub defect: Defect,
    pub folder: &'a Path,
    pub root: &'a Path,
}

impl Gate<'_> {
    fn fixture(&self, file: &str) -> PathBuf {
        self.root.join("fixtures").join(file)
    }

    fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// The file that the promise is about, where a rival runs.
    fn promiser(&self) -> String {
        self.file("work/greeting")
    }

    /// Puts the gate and all that it loads into the folder.
    pub fn prepare(&self) -> Result<()> {
        std::fs::create_dir_all(self.folder.join("work"))?;
        let files: &[&str] = match self.defect.language {
            Language::C => &[],
            Language::Python => &[
                "planted/gates.py",
                "mutants/base.py",
                "mutants/plain_json.py",
            ],
            Language::Bash => &["planted/gates.sh", "mutants/base.sh"],
            Language::Ruby => &["planted/gates.rb"],
        };
        for file in files {
            let (_, name) = file.rsplit_once('/').context("a file in a folder")?;
            std::fs::copy(self.fixture(file), self.folder.join(name))?;
        }
        if self.defect.language == Language::C {
            let shim = self.root.join("harness/fuzz/shims/coverage.c");
            let cover = "-fsanitize-coverage=trace-pc,trace-cmp";
            self.build("cc", "gate", &["-O1", "-fno-builtin", cover], Some(&shim))?;
        }
        let command = self.command("gate");
        let promise_type = match self.defect.language {
            Language::C => "gate",
            _ => "file_content",
        };
        let config = format!(
            "[subject]\ndialect = \"promise-module\"\npromise_type = {promise_type:?}\ncommand = {command:?}\n\n[[example]]\nname = \"a greeting\"\npromiser = \"{{dir}}/greeting\"\nattributes = {{ message = \"hello\", mode = \"0644\" }}\n"
        );
        Ok(std::fs::write(self.folder.join("stickler.toml"), config)?)
    }

    /// The gate as a subject.
    pub fn subject(&self) -> Subject {
        let folder = self.folder.to_owned();
        Subject { folder }
    }

    fn build(
        &self,
        compiler: &str,
        name: &str,
        options: &[&str],
        more: Option<&Path>,
    ) -> Result<()> {
        let mut command = Command::new(compiler);
        command.args(options).arg("-o").arg(self.folder.join(name));
        command.arg(self.fixture("planted/gates.c")).args(more);
        if name.ends_with("cmplog") {
            command.env("AFL_LLVM_CMPLOG", "1");
        } else if compiler.starts_with("afl") {
            // The constants of the source, as further words.
            command.env("AFL_LLVM_DICT2FILE", self.folder.join("constants.dict"));
        }
        let output = command.env("AFL_QUIET", "1").output();
        let output = output.with_context(|| format!("running {compiler}"))?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{compiler} failed: {errors}");
        Ok(())
    }

    /// The command of the gate; a native one has several builds.
    fn command(&self, build: &str) -> Vec<String> {
        let program: Vec<String> = match self.defect.language {
            Language::C => vec![self.file(build)],
            Language::Python => vec!["/usr/bin/python3".into(), self.file("gates.py")],
            Language::Bash => vec!["/bin/bash".into(), self.file("gates.sh")],
            // The libraries of the gate are no gems.
            Language::Ruby => vec![
                "/usr/bin/ruby".into(),
                "--disable=gems".into(),
                self.file("gates.rb"),
            ],
        };
        [program, vec![self.defect.name.into()]].concat()
    }

    /// A rival may write to this folder only, and leaves no process behind. Every rival gets the environment in
    /// which the sound gate is at home.
    fn contained(&self, program: &Path) -> Command {
        let mut command = Command::new("bwrap");
        command
            .args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"])
            .args(["--tmpfs", "/tmp", "--tmpfs", "/var/tmp", "--bind"])
            .args([self.folder, self.folder])
            .args(["--unshare-pid", "--unshare-ipc", "--die-with-parent"])
            .args(["--chdir"])
            .arg(self.folder.join("work"))
            .args(["--setenv", "HOME", "/tmp", "--setenv", "LC_ALL", "C.UTF-8"])
            .arg(program)
            .current_dir("/");
        command
    }

    fn python(&self) -> PathBuf {
        self.root.join("target/fuzzers/bin/python")
    }

    fn script(&self, name: &str) -> PathBuf {
        self.root.join("ci/benchmark/src/fuzzers").join(name)
    }
}

impl Fuzzer {
    pub fn name(self) -> &'static str {
        match self {
            Fuzzer::Stickler => "Stickler",
            Fuzzer::Boofuzz => "boofuzz",
            Fuzzer::Afl => "AFL++",
            Fuzzer::Atheris => "Atheris",
        }
    }

    /// Whether its set-up can lead to the defect at all. Only Stickler changes the environment and judges effects.
    /// AFL++ needs a native program. Atheris calls the functions that get a message that was read.
    pub fn can_find(self, defect: Defect) -> bool {
        let judged = !matches!(defect.family, Family::Environment | Family::Effects);
        // Their descriptions have no lists.
        let seen = judged && defect.name != "tag_is_message";
        match self {
            Fuzzer::Stickler => true,
            Fuzzer::Boofuzz => seen,
            Fuzzer::Afl => seen && defect.language == Language::C,
            Fuzzer::Atheris => {
                seen && defect.language == Language::Python && defect.family != Family::Framing
            }
        }
    }

    /// What has to be installed, if it is missing.
    pub fn missing(self, root: &Path) -> Option<&'static str> {
        let runs = |program: &Path, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).output();
            output.is_ok_and(|output| output.status.success())
        };
        let python = root.join("target/fuzzers/bin/python");
        match self {
            Fuzzer::Stickler => None,
            Fuzzer::Boofuzz if runs(&python, &["-c", "import boofuzz"]) => None,
            Fuzzer::Atheris if runs(&python, &["-c", "import atheris"]) => None,
            Fuzzer::Afl if runs(Path::new("afl-clang-fast"), &["--version"]) => None,
            Fuzzer::Boofuzz => Some("boofuzz (PyPI)"),
            Fuzzer::Atheris => Some("Atheris (PyPI)"),
            Fuzzer::Afl => Some("AFL++ (Debian's afl++)"),
        }
    }

    /// The time until it found the defect. `None`: it did not within the limit.
    pub fn search(self, gate: &Gate, seed: u64, limit: Duration) -> Result<Option<Duration>> {
        match self {
            Fuzzer::Stickler => stickler(gate, seed, limit),
            Fuzzer::Boofuzz => boofuzz(gate, limit),
            Fuzzer::Afl => afl(gate, seed, limit),
            Fuzzer::Atheris => atheris(gate, seed, limit),
        }
    }
}

/// What Stickler says until it shows the finding: it has then confirmed and reduced the session.
fn stickler(gate: &Gate, seed: u64, limit: Duration) -> Result<Option<Duration>> {
    let _ = std::fs::remove_dir_all(gate.folder.join(".stickler"));
    let mut command = Command::new(binary()?);
    command
        .args(["fuzz", "--format", "json", "--jobs", "1", "--seed"])
        .arg(seed.to_string())
        .current_dir(gate.folder);
    race(command, limit, |line| is_defect(&parsed(line)), || false)
}

/// A sound gate also breaks advice, on messages that no agent sends. So advice counts only if the gate ended.
pub fn is_defect(line: &Value) -> bool {
    let signature = line["signature"].as_str().unwrap_or("");
    line["event"] == "finding" && (line["level"] != "may" || signature.contains("/exits"))
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_default()
}

/// It has no seed: its test cases have one order.
fn boofuzz(gate: &Gate, limit: Duration) -> Result<Option<Duration>> {
    let kind = match gate.defect.language {
        Language::C | Language::Bash => "line",
        Language::Python | Language::Ruby => "json",
    };
    let mut command = gate.contained(&gate.python());
    command
        .arg(gate.script("boofuzz_session.py"))
        .args([kind, &gate.promiser()])
        .args(gate.command("gate"));
    race(command, limit, |line| line.contains("found"), || false)
}

fn afl(gate: &Gate, seed: u64, limit: Duration) -> Result<Option<Duration>> {
    let seeds = gate.folder.join("seeds");
    std::fs::create_dir_all(&seeds)?;
    if !gate.folder.join("gate-cmplog").exists() {
        gate.build("afl-clang-fast", "gate-afl", &["-O1"], None)?;
        gate.build("afl-clang-fast", "gate-cmplog", &["-O1"], None)?;
    }
    let message = |verb: &str, more: &str| {
        format!(
            "operation={verb}_promise\nlog_level=info\npromise_type=gate\npromiser=greeting\nattribute_message=hello\nattribute_mode=0644\n{more}\n"
        )
    };
    let header = "cf-agent 3.21.0 v1\n\n";
    let (validate, evaluate) = (message("validate", ""), message("evaluate", ""));
    let warn = message("evaluate", "attribute_action_policy=warn\n");
    let end = "operation=terminate\n\n";
    std::fs::write(seeds.join("one"), format!("{header}{evaluate}"))?;
    std::fs::write(
        seeds.join("session"),
        format!("{header}{validate}{evaluate}{end}"),
    )?;
    std::fs::write(
        seeds.join("several"),
        format!("{header}{evaluate}{warn}{end}"),
    )?;
    std::fs::write(gate.folder.join("words.dict"), WORDS)?;
    let output = gate.folder.join("afl");
    let _ = std::fs::remove_dir_all(&output);
    let mut command = gate.contained(Path::new("afl-fuzz"));
    command
        .arg("-i")
        .arg(&seeds)
        .arg("-o")
        .arg(&output)
        .args(["-s", &seed.to_string(), "-t", "1000", "-c"])
        .arg(gate.folder.join("gate-cmplog"))
        .arg("-x")
        .arg(gate.folder.join("words.dict"));
    if gate.folder.join("constants.dict").exists() {
        command.arg("-x").arg(gate.folder.join("constants.dict"));
    }
    command.arg("--").args(gate.command("gate-afl"));
    for setting in [
        "AFL_BENCH_UNTIL_CRASH",
        "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES",
        "AFL_SKIP_CPUFREQ",
        "AFL_NO_AFFINITY",
        "AFL_NO_UI",
        "AFL_FAST_CAL",
    ] {
        command.env(setting, "1");
    }
    let crashes = output.join("default/crashes");
    let found = || {
        let names = std::fs::read_dir(&crashes).into_iter().flatten().flatten();
        names
            .into_iter()
            .any(|entry| entry.file_name().as_encoded_bytes().starts_with(b"id"))
    };
    race(command, limit, |_| false, found)
}

fn atheris(gate: &Gate, seed: u64, limit: Duration) -> Result<Option<Duration>> {
    let seeds = gate.folder.join("work/seeds");
    let _ = std::fs::remove_dir_all(&seeds);
    std::fs::create_dir_all(&seeds)?;
    std::fs::write(seeds.join("one"), b"hello\x000644")?;
    std::fs::write(seeds.join("several"), b"hello\x000644\0again\0w0600")?;
    std::fs::write(gate.folder.join("values.dict"), VALUES)?;
    let mut command = gate.contained(&gate.python());
    command
        .arg(gate.script("atheris_harness.py"))
        .args([gate.defect.name, &gate.promiser()])
        .args([format!("-seed={seed}"), "-max_len=8192".into()])
        .arg(format!("-dict={}", gate.file("values.dict")))
        .arg(&seeds)
        .env("PYTHONPATH", gate.folder)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    race(command, limit, |line| line.starts_with("found"), || false)
}
