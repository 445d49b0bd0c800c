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
fn a_reproducer_is_about_its_rule_alone() {
    let folder = Folder::noisy();
    folder.write("message.py", MODULE);
    folder.replace("message.py", "if file.read() == text:", "if not file:");
    let file = folder.reproducer("PM804");
    let again = folder.run(&["replay", &file]);
    again
        .exits(1)
        .says("still failing  PM804")
        .says_not("PM406");
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
        .says("does not exist here")
        .says("name the module at its new path: stickler replay .stickler/")
        .says("--module PATH");
    // The finding is the same at its new path, which the report names.
    let moved = ["replay", &file, "--module", "moved.py"];
    folder
        .run(&moved)
        .exits(1)
        .says("still failing  PM203")
        .says("/moved.py · ");
    folder.write("moved.py", MODULE);
    let fixed = folder.run(&[&moved[..], &["--format", "json"]].concat());
    fixed.exits(0);
    let lines = json_lines(&fixed);
    let module = lines.last().expect("a summary")["module"].as_str();
    assert!(module.is_some_and(|path| path.ends_with("/moved.py")));
    for (wrong, why) in [("none.py", "no such file"), (".", "is a folder")] {
        folder
            .run(&["replay", &file, "--module", wrong])
            .exits(2)
            .says(why);
    }
}

/// On another machine, everything is in another folder.
#[test]
fn a_reproducer_of_another_machine_names_the_module_here() {
    let folder = Folder::noisy();
    folder.write(
        "store.py",
        "import http.server as s\ns.HTTPServer(('127.0.0.1', 8077), s.BaseHTTPRequestHandler).serve_forever()\n",
    );
    let service =
        "\n[[service]]\ncommand = [\"python3\", \"store.py\"]\nready = \"127.0.0.1:8077\"\n";
    folder.write("stickler.toml", &(folder.read("stickler.toml") + service));
    let file = folder.reproducer("PM203");
    let here = Folder::empty();
    here.write("found.jsonl", &folder.read(&file));
    for name in ["message.py", "store.py", "stickler.toml"] {
        here.write(&format!("modules/{name}"), &folder.read(name));
    }
    drop(folder);
    here.run(&["replay", "found.jsonl"])
        .exits(3)
        .says("--module PATH");
    // Named by this folder's file of the same name, or by its description.
    here.write("message.py", &here.read("modules/message.py"));
    here.run(&["replay", "found.jsonl"])
        .exits(3)
        .says("message.py has the same name: stickler replay found.jsonl --module message.py");
    fs::remove_file(here.path().join("message.py")).expect("removed");
    here.write("stickler.toml", &here.read("modules/stickler.toml"));
    here.replace("stickler.toml", "path = \"", "path = \"modules/");
    here.run(&["replay", "found.jsonl"])
        .exits(3)
        .says("--module ./modules/message.py");
    // The service beside the module moves along.
    here.run(&["replay", "found.jsonl", "--module", "modules/message.py"])
        .exits(1)
        .says("still failing  PM203");
}

#[test]
fn a_session_without_a_command_line_is_not_replayed() {
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
        .says("so it cannot run again")
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
fn values_that_vary_between_runs_are_not_changes() {
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
