//! The hook for pre-commit: `.pre-commit-hooks.yaml`, and the script that it names.

use crate::cli::{Folder, Output, finish};
use crate::common::{Call, STICKLER, root};
use saphyr::{LoadableYamlNode, Yaml};
use std::fs;
use std::path::PathBuf;

/// The script that the hook runs.
fn script() -> PathBuf {
    let text = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).expect("hooks");
    let hooks = Yaml::load_from_str(&text).expect("YAML");
    let hook = &hooks[0].as_vec().expect("a list")[0];
    assert_eq!(hook["id"].as_str(), Some("stickler"));
    assert_eq!(hook["language"].as_str(), Some("script"));
    root().join(hook["entry"].as_str().expect("a script"))
}

/// A repository with two modules; the description of the second stands in another folder.
fn repository() -> Folder {
    let folder = Folder::empty();
    let sound = Folder::sound();
    for module in ["one", "two"] {
        folder.write(&format!("{module}/message.py"), &sound.read("message.py"));
    }
    let config = sound.read("stickler.toml");
    folder.write("one/stickler.toml", &config);
    let elsewhere = config.replace("\"message.py\"", "\"../../two/message.py\"");
    assert_ne!(config, elsewhere);
    folder.write("checks/two/stickler.toml", &elsewhere);
    folder.write("README.md", "two modules");
    let done = Call::of("git")
        .args(["init", "--quiet"])
        .current_dir(folder.path())
        .status();
    assert!(done.expect("git runs").success());
    folder
}

/// Runs the hook for changed files, as pre-commit does.
fn hook(folder: &Folder, program: &str, words: &[&str]) -> Output {
    finish(
        Call::of(script())
            .args(words)
            .env("STICKLER", program)
            .current_dir(folder.path()),
    )
}

/// A stand-in for `stickler` that prints its arguments.
const ECHO: &str = "echo";

#[test]
fn only_the_modules_of_changed_files_are_checked_once_each() {
    let folder = repository();
    for (changed, checked) in [
        (&["README.md"][..], ""),
        (&["one/message.py"], "check --quick one\n"),
        (
            &["one/stickler.toml", "one/message.py"],
            "check --quick one\n",
        ),
        (&["two/message.py"], "check --quick checks/two\n"),
        (
            &["two/message.py", "one/message.py", "README.md"],
            "check --quick checks/two one\n",
        ),
    ] {
        let done = hook(&folder, ECHO, changed);
        done.exits(0);
        assert_eq!(done.stdout, checked);
    }
}

#[test]
fn options_of_the_hook_go_to_the_check() {
    let done = hook(&repository(), ECHO, &["--strict", "one/message.py"]);
    done.exits(0).says("check --quick --strict one\n");
}

#[test]
fn the_hook_ends_with_the_highest_exit_code() {
    let folder = repository();
    let both = ["one/message.py", "two/message.py"];
    hook(&folder, STICKLER, &both).exits(0);
    folder.replace("two/message.py", "return \"kept\"", "return \"repaired\"");
    hook(&folder, STICKLER, &both).exits(1).says("FAIL  PM804");
    folder.write("one/stickler.toml", "[subject]\nnothing = 1\n");
    hook(&folder, STICKLER, &both)
        .exits(2)
        .says("FAIL  PM804")
        .says("one/stickler.toml");
}

#[test]
fn a_missing_program_is_named_with_what_to_do() {
    let done = hook(&repository(), "./not-here", &["one/message.py"]);
    done.exits(2).says("install a package");
}
