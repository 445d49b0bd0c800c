//! Recorded graphs of mgmt resources, end to end: recorded, judged, and run again.

use crate::cli::{Folder, Output, json_lines};
use crate::mgmt::graphs::{ALL, FOLDERS, TWO, graph, interrupt, waits_for, with, write};
use crate::mgmt::resources::package;
use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

/// A graph whose calls are all about one resource.
const ONE: &str = "\
graph: one
resources:
  note:
  - name: '{dir}/b'
    text: two
";

/// The rules with this verdict.
fn rules(judged: &Output, verdict: &str) -> Vec<String> {
    let lines = json_lines(judged).into_iter();
    let lines = lines.filter(|line| line["verdict"] == verdict);
    lines
        .map(|line| line["rule"].as_str().expect("a code").to_owned())
        .collect()
}

/// The rules that fail in a recording of a folder, advice excluded.
fn found(folder: &Folder, file: &str) -> Vec<String> {
    let judged = folder.run(&["judge", file, "--strict", "--format", "json"]);
    rules(&judged, "fail")
}

#[test]
fn sound_resources_show_no_defect_in_a_recorded_graph_that_is_swapped() {
    let folder = with(ALL);
    write(&folder, "second.yaml", FOLDERS);
    let record = ["--swap", "second.yaml", "--record", "all.jsonl"];
    graph(&folder, "graph", &record).exits(0);
    let judged = folder.run(&["judge", "all.jsonl", "--strict", "--format", "json"]);
    judged.exits(0);
    let passes = rules(&judged, "pass");
    for rule in ["MR103", "MR206", "MR301", "MR306", "MR502"] {
        assert!(passes.contains(&rule.to_owned()), "{rule}: {passes:?}");
    }
    // These compare sessions, or need what only a check does.
    let silent = rules(&judged, "not-exercised");
    for rule in ["MR104", "MR112", "MR113", "MR302", "MR601", "MR602"] {
        assert!(silent.contains(&rule.to_owned()), "{rule}: {silent:?}");
    }
    folder.run(&["replay", "all.jsonl"]).exits(0);

    graph(&folder, "graph", &record)
        .exits(2)
        .says("all.jsonl")
        .says("name a new file");
}

#[test]
fn a_mistake_in_a_graph_leaves_no_recording() {
    let folder = with("graph: g\nresources:\n  wirte: [{name: a}]\n");
    let record = ["--record", "run.jsonl"];
    graph(&folder, "graph", &record).exits(2);
    write(&folder, "graph.yaml", TWO);
    for package in ["note", "note_done"] {
        let file = format!("{package}.jsonl");
        graph(&folder, package, &["--record", &file]).exits(0);
        assert_eq!(found(&folder, &file), Vec::<String>::new(), "{package}");
    }
    assert!(!folder.path().join("run.jsonl").exists());
}

#[test]
fn a_defect_is_found_in_a_recorded_graph_and_replayed() {
    let (right, always) = ("	if right {\n", "	if right && !apply {\n");
    // The watch takes what it finds first for a change, so that a second call follows always.
    let watch = ("	seen := obj.seen()\n", "	seen := \"\"\n");
    let changes = [("note.go", right, always), ("note.go", watch.0, watch.1)];
    let note = package("note", &changes);
    // The calls of two could take turns, and then each may be an answer to what the other changed.
    write(&note, "graph.yaml", ONE);
    let patient = ["--converged-timeout", "5"];
    let record = ["graph", "graph.yaml", "--record", "run.jsonl"];
    note.run(&[&record[..], &patient].concat()).says("changed ");
    note.run(&["judge", "run.jsonl"])
        .exits(1)
        .says("MR107")
        .says("the second call returns `(false, nil)` again");
    note.run(&["replay", "run.jsonl"])
        .exits(1)
        .says("still failing  MR107");
    note.replace("note.go", always, right);
    note.run(&["replay", "run.jsonl"])
        .exits(0)
        .says("fixed  MR107")
        .says("the conversation has changed");

    // What the author declares to have something to do each time may have it in a graph, too.
    note.replace("note.go", right, always);
    let text = note.read("stickler.toml");
    let busy = text.replace(
        "expect = [\"changed\", \"ok\"]",
        "expect = [\"changed\", \"changed\"]",
    );
    note.write("stickler.toml", &busy);
    note.run(&["graph", "graph.yaml", "--record", "busy.jsonl"]);
    assert_eq!(found(&note, "busy.jsonl"), Vec::<String>::new());
}

#[test]
fn each_way_to_fail_in_a_graph_is_a_finding_of_its_rule() {
    let cases = [
        ("error", 1, None),
        ("panic", 1, Some("MR110")),
        ("exit", 1, Some("MR110")),
        ("never", 0, Some("MR301")),
        ("stays", 0, Some("MR304")),
        ("returns", 0, Some("MR306")),
        ("panics", 0, Some("MR308")),
    ];
    for (how, times, rule) in cases {
        let folder = with(&format!(
            "graph: g\nresources:\n  fail:\n  - {{name: f, times: {times}, how: {how}}}\n"
        ));
        graph(&folder, "graph", &["--record", "run.jsonl"]).exits(1);
        let wanted: Vec<&str> = rule.into_iter().collect();
        assert_eq!(found(&folder, "run.jsonl"), wanted, "{how}");
    }
}

#[test]
fn drift_during_a_watched_graph_is_no_defect() {
    let note = package("note", &[]);
    write(&note, "graph.yaml", TWO);
    let child = note
        .command(&[
            "graph",
            "graph.yaml",
            "--watch",
            "--converged-timeout",
            "0.1",
            "--record",
            "run.jsonl",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("stickler starts");
    let file = note.path().join("b");
    let is_whole = || fs::read_to_string(&file).is_ok_and(|text| text == "two\n");
    waits_for(is_whole);
    // It has converged by then.
    sleep(Duration::from_secs(2));
    for drift in ["drift", "other drift"] {
        fs::write(&file, drift).expect("written");
        waits_for(is_whole);
    }
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(found(&note, "run.jsonl"), Vec::<String>::new());
    assert!(note.read("run.jsonl").contains("\"mark\":\"watch\""));
}
