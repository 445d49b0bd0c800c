//! Providers that are programs of their own, in Python and Rust.

use super::{module, with_verdict};
use crate::calls::SOON;
use crate::cli::Folder;
use crate::common::{compile, side_by_side};
use std::collections::BTreeSet;
use std::fs;
use std::time::Instant;

fn notes() -> Folder {
    module("notes_py")
}

/// A folder with the program, built from a changed source.
fn limits(from: &str, to: &str) -> Folder {
    let folder = module("limits_rs");
    folder.replace("limits.rs", from, to);
    let source = folder.path().join("limits.rs");
    let built = compile(&source, folder.path(), &[]);
    fs::rename(built, folder.path().join("limits")).expect("renamed");
    folder
}

#[test]
fn nothing_fails_on_sound_programs() {
    side_by_side(&[notes(), limits("//! ", "//! ")], |folder| {
        let output = folder.run(&["check", "--strict", "--format", "json", "--verbose"]);
        let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
        assert_eq!(failed, BTreeSet::new());
        let passed = with_verdict(&output, &["pass"]);
        for rule in [
            "RA105", "RA202", "RA205", "RA501", "RA502", "RA503", "RA520",
        ] {
            assert!(passed.contains(rule), "{rule}: {passed:?}");
        }
        output.exits(0);
    });
}

#[test]
fn a_program_needs_no_description() {
    let folder = notes();
    let description = folder.read("stickler.toml");
    fs::remove_file(folder.path().join("stickler.toml")).expect("removed");
    for command in [&["./notes.py"][..], &["python3", "notes.py"]] {
        let start = ["check", "--dialect", "resource-api", "--"];
        folder
            .run(&[&start[..], command].concat())
            .exits(0)
            .says("resource-api (1 type)")
            .says("no example");
    }
    let other = ["check", "--dialect", "resource-api", "--type", "nota"];
    folder
        .run(&[&other[..], &["--", "./notes.py"]].concat())
        .exits(2)
        .says("there are: note");
    // Its types are known once it has told them.
    let wrong = |from: &str, to: &str| {
        folder.write("stickler.toml", &description.replacen(from, to, 1));
        folder.run(&["check"])
    };
    wrong("type = \"note\"\n", "")
        .exits(2)
        .says("\"a new note\" names no type; add type = \"…\"; there are: note");
    wrong("type = \"note\"", "type = \"nota\"")
        .exits(2)
        .says("there is no type \"nota\"; there are: note");
    // A program that says nothing.
    folder.write("stickler.toml", &description);
    folder.write("notes.py", "#!/bin/sh\nexit 3\n");
    folder
        .run(&["check"])
        .exits(1)
        .says("no answer to `initialize`: it exited with code 3");
}

/// Whatever comes in place of an answer, a rule says so, and soon.
#[test]
fn programs_without_answers_hold_nobody_up() {
    let programs: &[(&str, &str)] = &[
        // Its questions would be answered, if it read the answers.
        (
            "ask = b'{\"jsonrpc\":\"2.0\",\"method\":\"connecting\",\"params\":{}}\\n'\nwhile True: os.write(1, ask)",
            "it prints endlessly",
        ),
        (
            "while True: os.write(1, b'word ' * 1000)",
            "it prints endlessly",
        ),
        (
            "os.close(1)\nimport time\ntime.sleep(1000)",
            "it closed its output",
        ),
    ];
    side_by_side(programs, |(code, says)| {
        let folder = notes();
        let code = format!("#!/usr/bin/env python3\nimport os\n{code}\n");
        folder.write("notes.py", &code);
        let begun = Instant::now();
        folder
            .run(&["check", "--time", "10s", "--select", "RA804"])
            .exits(1)
            .says(&format!("no answer to `initialize`: {says}"));
        assert!(begun.elapsed() < SOON);
    });
}
