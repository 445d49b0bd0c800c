//! Shared parts of the end-to-end tests of the command line.

use crate::calls::is_nightly;
use crate::common::Call;
use crate::held;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A small sound module, which writes a message to a file. Its class stands for Python's package `json`, whose import
/// takes as long as the start of Python.
pub const MODULE: &str = r#"import os
import sys
from _json import encode_basestring_ascii, make_encoder, make_scanner


class json:
    strict, object_hook, object_pairs_hook = True, None, None
    parse_float, parse_int, parse_constant = float, int, float

    @staticmethod
    def loads(text):
        blanks = " \t\n\r"
        try:
            value, end = make_scanner(json)(text, len(text) - len(text.lstrip(blanks)))
        except StopIteration:
            raise ValueError("no value") from None
        if text[end:].strip(blanks):
            raise ValueError("more than one value")
        return value

    @staticmethod
    def dumps(data):
        encode = make_encoder({}, None, encode_basestring_ascii, None, ": ", ", ", False, False, True)
        return "".join(encode(data, 0))


def answer(data):
    sys.stdout.write(json.dumps(data) + "\n\n")
    sys.stdout.flush()


def complaint(promise):
    if not promise.get("promiser", "").startswith("/"):
        return "File name must be absolute"
    attributes = promise.get("attributes", {})
    for name, value in attributes.items():
        if name != "message":
            return "Attribute '%s' is unknown" % name
        if not isinstance(value, str):
            return "Attribute '%s' must be text" % name
    if "message" not in attributes:
        return "Attribute 'message' is missing"
    return None


def evaluate(promise, log):
    path, text = promise["promiser"], promise["attributes"]["message"]
    try:
        if os.path.exists(path):
            with open(path) as file:
                if file.read() == text:
                    return "kept"
        with open(path, "w") as file:
            file.write(text)
    except (OSError, ValueError) as error:
        log.append({"level": "error", "message": "Cannot write: %s" % type(error).__name__})
        return "not_kept"
    log.append({"level": "info", "message": "Wrote the message"})
    return "repaired"


def main():
    while sys.stdin.readline() not in ("\n", ""):
        pass
    sys.stdout.write("message 1.0 v1 json_based\n\n")
    sys.stdout.flush()
    while True:
        line = sys.stdin.readline()
        if line == "":
            return
        sys.stdin.readline()
        try:
            request = json.loads(line)
        except ValueError:
            answer({"operation": "", "result": "error"})
            continue
        operation = request.get("operation")
        data = {"operation": operation, "promiser": request.get("promiser", ""), "log": []}
        if operation == "terminate":
            answer({"operation": operation, "result": "success"})
            return
        if operation == "validate_promise":
            wrong = complaint(request)
            if wrong:
                data["log"].append({"level": "error", "message": wrong})
            data["result"] = "invalid" if wrong else "valid"
        else:
            data["attributes"] = request["attributes"]
            data["result"] = evaluate(request, data["log"])
        answer(data)


main()
"#;

/// The module's configuration.
pub const CONFIG: &str = r#"# A comment of the author's.
[subject]
promise_type = "message"
interpreter = "/usr/bin/python3"
path = "message.py"

[[example]]
name = "a new file"
promiser = "{dir}/motd"
attributes = { message = "hello" }
expect = ["repaired", "kept"]
"#;

/// The result of a command.
#[derive(Debug)]
pub struct Output {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Output {
    /// Everything in one text, for messages of failed tests.
    pub fn all(&self) -> String {
        format!("exit {}\n{}\n{}", self.code, self.stdout, self.stderr)
    }

    #[track_caller]
    pub fn exits(&self, code: i32) -> &Self {
        assert_eq!(self.code, code, "{}", self.all());
        self
    }

    #[track_caller]
    pub fn says(&self, text: &str) -> &Self {
        assert!(
            self.stdout.contains(text) || self.stderr.contains(text),
            "{text:?} is not in:\n{}",
            self.all()
        );
        self
    }

    #[track_caller]
    pub fn says_not(&self, text: &str) -> &Self {
        assert!(
            !self.stdout.contains(text) && !self.stderr.contains(text),
            "{text:?} is in:\n{}",
            self.all()
        );
        self
    }
}

/// A folder to work in.
pub struct Folder {
    dir: TempDir,
}

impl Folder {
    /// An empty folder.
    pub fn empty() -> Folder {
        Folder {
            dir: TempDir::new().expect("a folder"),
        }
    }

    /// A folder with the small module and its `stickler.toml`.
    pub fn sound() -> Folder {
        let folder = Folder::empty();
        folder.write("message.py", MODULE);
        folder.write("stickler.toml", CONFIG);
        folder
    }

    /// Like [`Folder::sound`], with a module that prints to standard output.
    pub fn noisy() -> Folder {
        let folder = Folder::sound();
        folder.replace(
            "message.py",
            "    log.append({\"level\": \"info\"",
            "    print(\"wrote it\")\n    log.append({\"level\": \"info\"",
        );
        folder
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).expect("a folder");
        }
        fs::write(&path, text).expect("written");
        path
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).expect("a file")
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    #[track_caller]
    pub fn replace(&self, name: &str, old: &str, new: &str) {
        let text = self.read(name);
        assert!(text.contains(old), "{old:?} is not in {name}");
        self.write(name, &text.replace(old, new));
    }

    /// The names of a folder's files, sorted.
    pub fn list(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.path().join(folder))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// A command in this folder. It uses one CPU, unless the test says how many.
    pub fn command(&self, arguments: &[&str]) -> Call {
        let mut command = crate::common::stickler();
        let (name, rest) = arguments.split_first().expect("a command");
        command.arg(name);
        let is_run = match *name {
            "check" => true,
            // The commands of `fuzz` hold no sessions.
            "fuzz" => !matches!(arguments.get(1), Some(&("merge" | "min" | "runtime"))),
            _ => false,
        };
        if is_run && !arguments.contains(&"--jobs") {
            command.args(["--jobs", "1"]);
        }
        // What a check judges depends on the machine if its time is limited.
        let is_limited = |word: &&str| {
            let limits = ["--time", "--sessions", "--cases"];
            limits.iter().any(|limit| word.starts_with(limit))
        };
        if *name == "check" && !arguments.iter().any(is_limited) {
            command.args(["--time", "none"]);
            // Who asks for a rule wants its finding, which few sessions show.
            if arguments.contains(&"--select") && !is_nightly() {
                command.args(["--sessions", "10"]);
            }
        }
        command.args(rest).current_dir(self.path());
        command
    }

    /// A command in this folder, which need not hold a session that some test has held before.
    fn known(&self, arguments: &[&str]) -> Call {
        let mut command = self.command(arguments);
        let held = held::folder(&[self.path()]);
        command.envs(held.map(|held| ("STICKLER_HELD", held)));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        finish(&mut self.known(arguments))
    }

    /// Like [`Folder::run`], but holds all sessions: for tests of their times.
    pub fn run_anew(&self, arguments: &[&str]) -> Output {
        finish(&mut self.command(arguments))
    }

    pub fn run_in_ci(&self, arguments: &[&str]) -> Output {
        finish(self.known(arguments).env("CI", "true"))
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Output {
        let ended = self.command(arguments).output_with(input);
        output(ended.expect("stickler runs"))
    }

    /// Runs a check for one rule, and returns the reproducer of its finding.
    #[track_caller]
    pub fn reproducer(&self, rule: &str) -> String {
        let checked = self.run(&["check", "--quick", "--select", rule]);
        checked.exits(1);
        let found = self
            .list(".stickler")
            .into_iter()
            .find(|name| name.contains(&format!("-{rule}-")))
            .unwrap_or_else(|| panic!("no reproducer of {rule}:\n{}", checked.all()));
        format!(".stickler/{found}")
    }
}

pub fn finish(command: &mut Call) -> Output {
    output(command.output().expect("stickler runs"))
}

#[expect(clippy::needless_pass_by_value, reason = "the function converts it")]
fn output(output: std::process::Output) -> Output {
    Output {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The lines of standard output, as JSON.
#[track_caller]
pub fn json_lines(output: &Output) -> Vec<serde_json::Value> {
    output
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}
