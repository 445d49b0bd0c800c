//! `stickler judge`, end to end.

use crate::cli::{Folder, json_lines};
use std::fs;

/// A folder with all sessions of a quick check.
fn kept(folder: Folder) -> Folder {
    folder.run(&["check", "--quick", "--keep", "--select", "PM203"]);
    folder
}

#[test]
fn stored_sessions_are_judged_as_those_of_the_run() {
    let folder = kept(Folder::noisy());
    let file = ".stickler/sessions/baseline_e1.jsonl";
    let judged = folder.run(&["judge", "--select", "PM203", file]);
    judged
        .exits(1)
        .says("FAIL  PM203")
        .says("wrote it")
        .says(&format!("stickler replay {file}"))
        .says("1 file");
    // Judging starts no process, so the module need not exist.
    fs::remove_file(folder.path().join("message.py")).expect("removed");
    folder.run(&["judge", "--select", "PM203", file]).exits(1);
}

#[test]
fn several_files_are_one_run() {
    let folder = kept(Folder::sound());
    let files: Vec<String> = folder
        .list(".stickler/sessions")
        .into_iter()
        .map(|name| format!(".stickler/sessions/{name}"))
        .collect();
    assert!(files.len() > 10, "{files:?}");
    let mut arguments = vec!["judge", "--select", "PM203,PM804", "--format", "json"];
    arguments.extend(files.iter().map(String::as_str));
    let judged = folder.run(&arguments);
    judged.exits(0);
    let lines = json_lines(&judged);
    let summary = lines.last().expect("a summary");
    assert_eq!(summary["sessions"], files.len());
    assert_eq!(summary["fail"], 0);
    // A file that is named twice counts once.
    let twice = folder.run(&[
        "judge", "--select", "PM203", "--format", "json", &files[0], &files[0],
    ]);
    assert_eq!(json_lines(&twice).last().expect("a summary")["sessions"], 1);
}

#[test]
fn standard_input_is_a_file_too() {
    let folder = kept(Folder::noisy());
    let bytes =
        fs::read(folder.path().join(".stickler/sessions/baseline_e1.jsonl")).expect("a file");
    let judged = folder.run_with_input(&["judge", "--select", "PM203", "-"], &bytes);
    judged
        .exits(1)
        .says("FAIL  PM203")
        .says_not("stickler replay");
}

#[test]
fn known_failures_come_from_a_configuration() {
    let folder = kept(Folder::noisy());
    let text = folder.read("stickler.toml");
    folder.write(
        "stickler.toml",
        &format!("{text}\n[[xfail]]\nrule = \"PM203\"\nreason = \"ticket 12\"\n"),
    );
    let file = ".stickler/sessions/baseline_e1.jsonl";
    folder
        .run(&[
            "judge",
            "--select",
            "PM203",
            "--config",
            "stickler.toml",
            file,
        ])
        .exits(0)
        .says("1 xfail");
    folder
        .run(&["judge", "--config", "sticler.toml", file])
        .exits(2)
        .says("did you mean ./stickler.toml?");
}

#[test]
fn other_formats_are_written_too() {
    let folder = kept(Folder::noisy());
    let file = ".stickler/sessions/baseline_e1.jsonl";
    folder
        .run(&[
            "judge",
            "--select",
            "PM203",
            "--format",
            "tap",
            "--output",
            "sarif=out.sarif",
            file,
        ])
        .exits(1)
        .says("not ok");
    assert!(folder.read("out.sarif").contains("\"PM203\""));
    folder
        .run(&["judge", "--output", "yaml=x", file])
        .exits(2)
        .says("there is no format \"yaml\"");
}

#[test]
fn a_run_that_exercises_nothing_has_its_own_exit_code() {
    let folder = kept(Folder::sound());
    folder
        .run(&[
            "judge",
            "--select",
            "PM804",
            ".stickler/sessions/header_plain.jsonl",
        ])
        .exits(4)
        .says("nothing was exercised");
}

#[test]
fn files_that_are_not_transcripts_are_refused_with_a_reason() {
    let folder = kept(Folder::sound());
    let good = folder.read(".stickler/sessions/baseline_e1.jsonl");
    let lines: Vec<&str> = good.lines().collect();
    folder.write(
        "cut.jsonl",
        &format!("{}\n", lines[..lines.len() - 1].join("\n")),
    );
    folder
        .run(&["judge", "cut.jsonl"])
        .exits(2)
        .says("cut.jsonl: the transcript is cut off")
        .says("baseline/e1");
    folder.write("half.jsonl", &good[..good.len() / 2]);
    folder
        .run(&["judge", "half.jsonl"])
        .exits(2)
        .says("half.jsonl: ");
    folder.write("foreign.jsonl", "{\"name\":\"x\"}\n");
    folder
        .run(&["judge", "foreign.jsonl"])
        .exits(2)
        .says("this is not a Stickler transcript");
    folder.write("empty.jsonl", "");
    folder
        .run(&["judge", "empty.jsonl"])
        .exits(2)
        .says("the transcript is empty");
    folder.write(
        "version.jsonl",
        &good.replacen("\"version\":3", "\"version\":999", 1),
    );
    folder
        .run(&["judge", "version.jsonl"])
        .exits(2)
        .says("version 999")
        .says("use the Stickler that wrote it");
    folder.write(
        "other.jsonl",
        &good.replacen("\"promise-module\"", "\"chef\"", 1),
    );
    folder
        .run(&["judge", "other.jsonl"])
        .exits(2)
        .says("dialect \"chef\"");
    folder
        .run(&["judge", "nothing.jsonl"])
        .exits(2)
        .says("no such file");
    folder
        .run(&["judge", ".stickler/sessions"])
        .exits(2)
        .says("is a folder")
        .says("*.jsonl");
    folder.run(&["judge"]).exits(2);
    folder.write("good.jsonl", &good);
    folder
        .run(&["judge", "--select", "XX", "good.jsonl"])
        .exits(2)
        .says("no rule begins with \"XX\"");
}
