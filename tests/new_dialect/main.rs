//! A dialect that no other crate knows, added as CONTRIBUTING says: its face stands behind those of the registry. This
//! program is Stickler with it if it starts itself, and else the test.

#![expect(clippy::print_stdout, reason = "it is its own test program")]

#[path = "../../harness/suite/tests/toy/dialect.rs"]
#[expect(dead_code, reason = "other tests use more of it")]
mod dialect;
mod keepers;

use keepers::Keepers;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

/// Set where this program is Stickler.
const IS_STICKLER: &str = "STICKLER_TEST_NEW_DIALECT";

/// Keeps to the protocol, without a channel.
const KEEPER: &str = r#"#!/bin/sh
while read -r verb file value; do
  case $verb in
    may|MAY) case $file in /*) echo yes ;; *) echo no ;; esac ;;
    put|PUT|try|TRY)
      if [ -f "$file" ] && [ "$(cat "$file")" = "$value" ]; then echo was
      elif [ "$verb" = try ] || [ "$verb" = TRY ]; then echo would
      elif { printf '%s\n' "$value" > "$file"; } 2>/dev/null; then echo did
      else echo cannot; fi ;;
    *) echo no ;;
  esac
done
"#;

fn main() -> ExitCode {
    if std::env::var_os(IS_STICKLER).is_some() {
        let mut faces = stickler_dialects::faces();
        faces.push(Box::new(Keepers::default()));
        return stickler::run(faces, std::env::args_os());
    }
    the_help_and_the_rules_name_the_dialect();
    an_option_of_the_dialect_is_for_its_subjects_alone();
    its_own_command_runs();
    init_describes_a_subject_and_check_judges_it();
    println!("a new dialect has the whole command line");
    ExitCode::SUCCESS
}

/// Runs this program as Stickler in a folder. Returns its exit code and all that it says.
#[track_caller]
fn stickler(folder: &Path, words: &[&str]) -> (i32, String) {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(words).env(IS_STICKLER, "yes").env("CI", "yes");
    let Output {
        status,
        stdout,
        stderr,
    } = command.current_dir(folder).output().expect("it starts");
    let said = [stdout, stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    (status.code().expect("a code"), said)
}

/// Runs this program as Stickler in a folder, and expects a code and words.
#[track_caller]
fn says(folder: &Path, words: &[&str], code: i32, parts: &[&str]) {
    let (found, said) = stickler(folder, words);
    assert_eq!(found, code, "{words:?}: {said}");
    for part in parts {
        assert!(said.contains(part), "{words:?} lacks {part:?}: {said}");
    }
}

fn the_help_and_the_rules_name_the_dialect() {
    let here = Path::new(".");
    says(here, &["--help"], 0, &["\n  keep ", "\n  check "]);
    let heading = ["Options for keepers", "--keeper <FILE>", "or `toy`"];
    says(here, &["check", "--help"], 0, &heading);
    says(here, &["rules"], 0, &["TY101  must", "PM101", "RA101"]);
    let page = "Each answer is one of the five words";
    says(here, &["explain", "TY101"], 0, &[page]);
    let schema = ["schema", "--dialect", "toy"];
    says(here, &schema, 0, &["\"spoil\"", "\"marks\""]);
    says(here, &["completions", "bash"], 0, &["--keeper"]);
}

fn an_option_of_the_dialect_is_for_its_subjects_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = ["check", "--dialect", "toy", "--promiser", "a"];
    let refused = "--promiser is for promise modules; it has no effect on keepers";
    says(folder.path(), &words, 2, &[refused]);
    let words = ["check", "--keeper", "a", "--dialect", "mgmt"];
    let refused = "--keeper is for keepers; it has no effect on mgmt resources";
    says(folder.path(), &words, 2, &[refused]);
}

fn its_own_command_runs() {
    let here = Path::new(".");
    says(here, &["keep", "a value"], 0, &["kept: a value"]);
    says(here, &["keep"], 2, &["<VALUE>"]);
}

fn init_describes_a_subject_and_check_judges_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("keeper.sh"), KEEPER).expect("written");
    let why = "toy (the subject is a keeper, and nothing names another dialect)";
    says(folder, &["init", "--keeper", "keeper.sh"], 0, &[why]);
    let file = folder.join("stickler.toml");
    let text = std::fs::read_to_string(&file).expect("a description");
    let example = "\n[[example]]\nlabel = \"a number\"\nname = \"{dir}/one\"\n\
                   fields = { value = 17 }\nexpect = [\"did\", \"was\"]\n";
    std::fs::write(&file, text + example).expect("written");
    // This keeper does not know the channel.
    let check = ["check", "--quick", "-k", "not channel"];
    says(folder, &check, 0, &["toy", "1 example", "rules: 2 passed"]);
    let broken = KEEPER.replace("echo was", "echo perhaps");
    std::fs::write(folder.join("keeper.sh"), broken).expect("written");
    says(folder, &check, 1, &["FAIL  TY101", "replay"]);
}
