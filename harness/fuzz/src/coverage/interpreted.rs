//! What an instrumented program does must be what it does without.

use super::*;
use std::process::{Command, Stdio};

/// Small programs, each behind a line with its name. Those whose names begin with `new_` need Python 3.11.
const PROGRAMS: &str = include_str!("programs.txt");

/// The interpreter of the machine.
const PYTHON: &str = "/usr/bin/python3";

/// Its minor version, if it is one whose programs are instrumented.
fn python() -> Option<u32> {
    let ask = "import sys; print(sys.version_info[1])";
    let output = Command::new(PYTHON).args(["-c", ask]).output().ok()?;
    let minor = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    (minor >= 8).then_some(minor)
}

/// A folder with the programs and the shim.
struct Folder {
    folder: tempfile::TempDir,
    coverage: Coverage,
    names: Vec<String>,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut names = Vec::new();
        for program in PROGRAMS.split("--- ").skip(1) {
            let (name, text) = program.split_once('\n').expect("a name");
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text.replace("BOM", "\u{feff}")).expect("written");
            names.push(name.to_owned());
        }
        let coverage = Coverage::open(CoverageKind::Python, false).expect("a folder");
        let kind = CoverageKind::Python;
        for (file, text) in kind.shim().iter().chain(kind.beside()) {
            let shim = folder.path().join("shim");
            fs::create_dir_all(&shim).expect("made");
            fs::write(shim.join(file), text).expect("written");
        }
        let coverage = coverage.noting(&[folder.path().to_owned()]);
        Folder {
            folder,
            coverage,
            names,
        }
    }

    /// The exit status and the outputs of a program.
    fn run(&self, arguments: &[&str], recorder: Option<&Recorder>, lines: bool) -> String {
        let mut command = Command::new(PYTHON);
        command.args(arguments).current_dir(self.folder.path());
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        if let Some(recorder) = recorder {
            command.env("PYTHONPATH", self.folder.path().join("shim"));
            command.envs(recorder.variables());
            if let Some(list) = recorder.list.as_ref().filter(|_| lines) {
                command.env("STICKLER_LINES", &list.path);
            }
        }
        let output = command.stdin(Stdio::null()).output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let said = text(&output.stdout) + &text(&output.stderr);
        let lines = said.lines().map(without_addresses);
        format!(
            "{}\n{}",
            output.status,
            lines.collect::<Vec<_>>().join("\n")
        )
    }
}

fn without_addresses(line: &str) -> String {
    let mut parts = line.split("0x");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.trim_start_matches(|c: char| c.is_ascii_hexdigit())
    })
}

#[test]
fn an_instrumented_program_does_what_it_does_without() {
    let Some(version) = python() else {
        return;
    };
    let folder = Folder::new();
    let mut recorder = folder.coverage.recorder(0).expect("a file");
    let mut map = vec![0; LINES];
    let compares = [
        "scopes.py",
        "texts.py",
        "new_match.py",
        "tracebacks.py",
        "generators.py",
        "hooks.py",
        "operands.py",
    ];
    let programs = folder.names.iter().filter(|name| {
        let is_main = !name.contains('/')
            && !["helper.py", "broken.py", "raising.py"].contains(&name.as_str());
        is_main && (version >= 11 || !name.starts_with("new_"))
    });
    let runs = programs.map(|name| vec![name.as_str(), "one", "two"]);
    let more = [
        vec!["-m", "package", "one"],
        vec!["-O", "./tracebacks.py"],
        vec!["package"],
        vec!["-c", "print(1)\n1/0"],
        vec!["missing.py"],
    ];
    for arguments in runs.chain(more) {
        let usual = folder.run(&arguments, None, false);
        // Starts take long: only the programs that compare something are asked about that.
        let modes: &[_] = match compares.contains(&arguments[0]) {
            true => &[(false, false), (true, true)],
            false => &[(false, false)],
        };
        for &(wants, lines) in modes {
            recorder.reset().expect("written");
            recorder.want(wants);
            let told = folder.run(&arguments, Some(&recorder), lines);
            assert_eq!(
                usual, told,
                "{arguments:?}, comparisons {wants}, lines {lines}"
            );
        }
        let marks = recorder.read(&mut map, 1).expect("read");
        let is_told = [
            "scopes.py",
            "texts.py",
            "new_match.py",
            "imports.py",
            "-m",
            "package",
        ];
        assert!(marks || !is_told.contains(&arguments[0]), "{arguments:?}");
    }
}

#[test]
fn each_operand_that_is_reached_leaves_a_mark() {
    if python().is_none() {
        return;
    }
    let folder = Folder::new();
    let mut recorder = folder.coverage.recorder(0).expect("a file");
    let mut marks = |arguments: &[&str]| {
        recorder.reset().expect("written");
        folder.run(arguments, Some(&recorder), false);
        let mut map = vec![0; LINES];
        recorder.read(&mut map, 1).expect("read");
        crate::novelty::set(&map).count()
    };
    let none = marks(&["operands.py", "x", "two"]);
    let first = marks(&["operands.py", "one", "two"]);
    assert_eq!(first, none + 1);
}

/// Prints the lines of a program that run, as a trace function sees them.
const TRACE: &str = r#"
import sys, types
path, lines = sys.argv[1], set()
def trace(frame, event, argument):
    if frame.f_code.co_filename != path:
        return None
    if event == "line":
        lines.add(frame.f_lineno)
    return trace
with open(path) as file:
    code = compile(file.read(), path, "exec")
sys.settrace(trace)
try:
    exec(code, {"__name__": "__main__", "__file__": path})
except SystemExit:
    pass
sys.settrace(None)
print(sorted(lines))
"#;

#[test]
fn an_instrumented_program_tells_the_lines_that_run_and_no_others() {
    // Earlier ones give other numbers to calls of several lines.
    if python().is_none_or(|version| version < 11) {
        return;
    }
    let folder = Folder::new();
    let path = folder.folder.path().canonicalize().expect("a path");
    let path = path.join("parts.py").display().to_string();
    let recorder = folder.coverage.recorder(0).expect("a file");
    folder.run(&[&path], Some(&recorder), true);
    drop(recorder);
    let sources = folder.coverage.sources(&[]);
    let source = sources.iter().find(|source| source.name == "parts.py");
    let lines = (1..).zip(&source.expect("it is told").lines);
    let reached = lines.filter(|(_, line)| line.0 == crate::source::Mark::Reached);
    let reached: Vec<usize> = reached.map(|(number, _)| number).collect();
    let traced = folder.run(&["-c", TRACE, &path], None, false);
    assert_eq!(traced.lines().nth(1), Some(&*format!("{reached:?}")));
}

#[test]
fn an_instrumented_program_tells_what_it_compares_only_while_that_is_wanted() {
    if python().is_none() {
        return;
    }
    let folder = Folder::new();
    let mut recorder = folder.coverage.recorder(0).expect("a file");
    folder.run(&["asks.py"], Some(&recorder), false);
    assert!(recorder.compared().is_empty());
    recorder.want(true);
    folder.run(&["asks.py"], Some(&recorder), false);
    let pairs = recorder.compared();
    for (one, other) in [
        ("Unlike", "equal"),
        ("Unlike", "startUnlike"),
        ("Unlike", "key"),
        ("Unlike", "member"),
        ("Unlike", "ab00"),
        ("Unlike", "cd00"),
        ("Unlike", "ab0"),
        ("Unlike", "ab000"),
        ("Unlike", "a.conf"),
        ("U", "Z"),
        ("nl", "zz"),
        ("Unlike", "lower"),
        ("Unlike", "Unlike@"),
        ("6", "90"),
        ("Unlike", "item"),
    ] {
        let is_there = pairs
            .iter()
            .any(|pair| pair[0] == one.as_bytes() && pair[1] == other.as_bytes());
        assert!(is_there, "{one} {other}: {pairs:?}");
    }
}
