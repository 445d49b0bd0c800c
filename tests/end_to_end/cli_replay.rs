//! `stickler replay`, end to end.

use crate::cli::{Folder, MODULE, json_lines};
use std::fs;

#[test]
fn a_finding_that_is_still_there_is_shown_again() {
    let folder = Folder::noisy();
    let file = folder.reproducer("PM203");
    folder
        .run(&["replay", &file])
        .exits(1)
        .says("still failing  PM203")
        .says("FAIL  PM203  must")
        .says("wrote it")
        .says("stickler explain PM203")
        .says("the conversation is the same as the stored one");
}

#[test]
fn the_rule_of_the_reproducer_comes_first() {
    let folder = Folder::noisy();
    folder.write("message.py", MODULE);
    folder.replace("message.py", "if file.read() == text:", "if not file:");
    let file = folder.reproducer("PM804");
    let again = folder.run(&["replay", &file]);
    again.exits(1).says("still failing  PM406");
    let first = again.stdout.find("still failing  PM");
    assert_eq!(
        first,
        again.stdout.find("still failing  PM804"),
        "{}",
        again.all()
    );
}

#[test]
fn a_finding_that_is_mended_is_fixed_and_the_difference_is_shown() {
    let folder = Folder::noisy();
    let file = folder.reproducer("PM203");
    folder.write("message.py", MODULE);
    folder
        .run(&["replay", &file])
        .exits(0)
        .says("fixed  PM203")
        .says("did not fail in 2 runs")
        .says("the conversation has changed")
        .says("  - ← wrote it")
        .says_not("still failing");
}

#[test]
fn another_rule_that_fails_now_is_reported() {
    let folder = Folder::noisy();
    let file = folder.reproducer("PM203");
    folder.write("message.py", MODULE);
    folder.replace(
        "message.py",
        "data[\"result\"] = evaluate",
        "data[\"operation\"] = \"other\"; data[\"result\"] = evaluate",
    );
    let again = folder.run(&["replay", &file]);
    again
        .exits(1)
        .says("fixed  PM203")
        .says("changed  PM")
        .says("fails now");
    let again = folder.run(&["replay", &file, "--format", "json"]);
    again.exits(1);
    let lines = json_lines(&again);
    let summary = lines.last().expect("a summary");
    assert_eq!(summary["event"], "summary");
    assert!(summary["new"].as_u64() > Some(0));
    assert_eq!(summary["fixed"], 1);
    assert_eq!(summary["conversation"], "changed");
    assert!(lines.iter().any(|line| line["event"] == "rule"
        && line["rule"] == "PM203"
        && line["status"] == "fixed"));
}

#[test]
fn a_module_that_has_moved_is_named() {
    let folder = Folder::noisy();
    let file = folder.reproducer("PM203");
    fs::rename(
        folder.path().join("message.py"),
        folder.path().join("moved.py"),
    )
    .expect("moved");
    folder
        .run(&["replay", &file])
        .exits(3)
        .says("/message.py: the module of .stickler/message.py-PM203-")
        .says("no longer exists");
}

#[test]
fn a_session_of_which_nobody_knows_what_was_started_is_not_run() {
    let folder = Folder::noisy();
    let file = folder.reproducer("PM203");
    let stored: String = folder
        .read(&file)
        .lines()
        .map(|line| {
            let mut event: serde_json::Value = serde_json::from_str(line).expect("an event");
            if let Some(event) = event.as_object_mut() {
                event.remove("plan");
            }
            format!("{event}\n")
        })
        .collect();
    folder.write("recorded.jsonl", &stored);
    folder
        .run(&["replay", "recorded.jsonl"])
        .exits(2)
        .says("has neither a plan nor a command")
        .says("stickler judge recorded.jsonl");
    folder.write("foreign.jsonl", "hello\n");
    folder
        .run(&["replay", "foreign.jsonl"])
        .exits(2)
        .says("not a Stickler transcript");
    folder
        .run(&["replay", "nothing.jsonl"])
        .exits(2)
        .says("no such file");
}

#[test]
fn secrets_that_were_redacted_are_mentioned() {
    let folder = Folder::noisy();
    folder.replace(
        "stickler.toml",
        "path =",
        "sensitive = [\"message\"]\npath =",
    );
    folder.replace("stickler.toml", "\"hello\"", "\"hunter2-hunter2\"");
    let file = folder.reproducer("PM203");
    assert!(!folder.read(&file).contains("hunter2"));
    folder
        .run(&["replay", &file])
        .exits(1)
        .says("secrets are masked");
}

#[test]
fn what_differs_by_nature_is_no_change() {
    let folder = Folder::noisy();
    folder.replace(
        "message.py",
        "print(\"wrote it\")",
        "print(os.urandom(6).hex(), __import__('time').time())",
    );
    let file = folder.reproducer("PM203");
    folder
        .run(&["replay", &file])
        .exits(1)
        .says("still failing  PM203")
        .says("the conversation is the same");
}

#[test]
fn nothing_failed_and_nothing_fails() {
    let folder = Folder::sound();
    folder
        .run(&["check", "--quick", "--keep", "--select", "PM203"])
        .exits(0);
    folder
        .run(&["replay", ".stickler/sessions/baseline_e1.jsonl"])
        .exits(0)
        .says("no rule failed")
        .says("the conversation is the same");
}
