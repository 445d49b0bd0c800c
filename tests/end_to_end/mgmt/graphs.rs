//! Graphs of mgmt resources, end to end.

use crate::calls::Running;
use crate::cli::{Folder, Output, json_lines};
use crate::common::root;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value as Json;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A folder with a graph in it; `{dir}` is the folder.
pub fn with(graph: &str) -> Folder {
    let folder = Folder::empty();
    write(&folder, "graph.yaml", graph);
    folder
}

/// Writes a graph into a folder, where `{dir}` is the folder.
pub fn write(folder: &Folder, name: &str, graph: &str) {
    let graph = graph.replace("{dir}", &folder.path().to_string_lossy());
    fs::write(folder.path().join(name), graph).expect("written");
}

/// Runs the graph of a folder with the resources of a package.
pub fn graph(folder: &Folder, package: &str, options: &[&str]) -> Output {
    let package = root().join("fixtures/resources").join(package);
    let package = package.to_string_lossy().into_owned();
    folder.run(&[&["graph", "graph.yaml", "--path", &package], options].concat())
}

fn events(done: &Output, event: &str) -> Vec<Json> {
    let lines = json_lines(done).into_iter();
    lines.filter(|line| line["event"] == event).collect()
}

/// What came of the vertices, in order: their names with the results.
fn calls(done: &Output, folder: &Folder) -> Vec<String> {
    let dir = folder.path().to_string_lossy().into_owned();
    let calls = events(done, "checkapply").into_iter().map(|call| {
        let vertex = call["vertex"].as_str().expect("a vertex");
        let vertex = vertex.replace(&dir, "");
        format!("{vertex} {}", call["result"].as_str().expect("a result"))
    });
    calls.collect()
}

fn text(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap_or_default()
}

/// Two files, one after the other.
pub const TWO: &str = "\
graph: two
resources:
  note:
  - name: '{dir}/b'
    text: two
  - name: '{dir}/a'
    text: one
    mode: 0600
edges:
- from: {kind: note, name: '{dir}/a'}
  to: {kind: note, name: '{dir}/b'}
";

#[test]
fn a_graph_runs_in_the_order_of_its_edges_and_noop_changes_nothing() {
    for package in ["note", "note_done"] {
        let folder = with(TWO);
        let done = graph(&folder, package, &["--noop", "--format", "json"]);
        let wanted = ["note[/a] would_change", "note[/b] would_change"];
        // Under noop, a vertex may be asked again.
        let found = calls(done.exits(0), &folder);
        assert_eq!(found[..2], wanted, "{found:?}");
        assert!(!folder.path().join("a").exists());

        let done = graph(&folder, package, &["--format", "json"]);
        let found = calls(done.exits(0), &folder);
        assert_eq!(
            found[..2],
            ["note[/a] changed", "note[/b] changed"],
            "{found:?}"
        );
        assert_eq!(text(&folder, "b"), "two\n");
        let summary = &events(&done, "summary")[0];
        assert_eq!(summary["changes"], 2, "{summary}");
        assert_eq!(summary["converged"], true, "{summary}");

        graph(&folder, package, &[])
            .exits(0)
            .says("2 resources, 0 calls changed something   2 calls of CheckApply")
            .says_not("changed  ");
    }
}

/// One of all that graphs can have.
pub const ALL: &str = "\
graph: all
resources:
  say:
  - {name: s, text: hello}
  write:
  - name: '{dir}/w/inner/file'
    recv: {content: {kind: say, name: s, key: said}}
    log: '{dir}/log'
    meta: {reverse: true}
  folder:
  - name: '{dir}/w/inner'
  - name: '{dir}/w'
  crowd:
  - {name: c1, path: '{dir}/crowd'}
  - {name: c2, path: '{dir}/crowd'}
  - {name: c3, path: '{dir}/other', meta: {autogroup: false}}
  fail:
  - {name: f, times: 2, meta: {retry: 3, delay: 3600000}}
edges:
- from: {kind: say, name: s}
  to: {kind: write, name: '{dir}/w/inner/file'}
- from: {kind: crowd, name: c1}
  to: {kind: write, name: '{dir}/w/inner/file'}
  notify: true
";

/// The folders of the other graph alone.
pub const FOLDERS: &str = "\
graph: folders
resources:
  folder:
  - name: '{dir}/w/inner'
  - name: '{dir}/w'
";

#[test]
fn values_groups_edges_refreshes_retries_and_reversals_are_as_in_mgmt() {
    let folder = with(ALL);
    let begun = Instant::now();
    let done = graph(&folder, "graph", &["--format", "json"]);
    done.exits(0);
    // Two hours of retries are jumped over.
    assert!(begun.elapsed() < Duration::from_secs(600));
    assert_eq!(text(&folder, "w/inner/file"), "hello");
    assert_eq!(text(&folder, "log"), "refreshed\n");
    assert_eq!(text(&folder, "crowd"), "c2\nc1\n");
    assert_eq!(text(&folder, "other"), "c3\n");
    let group = &events(&done, "group")[0];
    assert_eq!(
        (&group["vertex"], &group["head"]),
        (&"crowd[c1]".into(), &"crowd[c2]".into())
    );
    assert_eq!(events(&done, "autoedge").len(), 2);
    let found = calls(&done, &folder);
    let fails = found.iter().filter(|call| call.starts_with("fail"));
    let fails: Vec<&String> = fails.collect();
    assert_eq!(fails, ["fail[f] error", "fail[f] error", "fail[f] ok"]);

    write(&folder, "second.yaml", FOLDERS);
    let done = graph(
        &folder,
        "graph",
        &["--swap", "second.yaml", "--format", "json"],
    );
    done.exits(0);
    // The file is gone, and the folder stays.
    assert!(folder.path().join("w/inner").exists());
    assert!(!folder.path().join("w/inner/file").exists());
    let kept = events(&done, "end")
        .into_iter()
        .filter(|end| end["state"] == "kept");
    assert_eq!(kept.count(), 2);
}

/// A graph with one resource that fails in this way, and one that waits for it.
fn failing(how: &str, meta: &str) -> Folder {
    with(&format!(
        "graph: g\nresources:\n  fail:\n  - {{name: f, times: 1, how: {how}, meta: {{{meta}}}}}\n  write:\n  \
         - name: '{{dir}}/after'\nedges:\n- from: {{kind: fail, name: f}}\n  to: {{kind: write, name: '{{dir}}/after'}}\n"
    ))
}

#[test]
fn a_failure_is_reported_and_dependent_resources_never_run() {
    let cases = [
        ("error", "", "failure 1"),
        ("panic", "", "checking panics"),
        ("slow", "timeout: 200", "timeout after 0.200 seconds"),
        ("fails", "", "nothing to watch"),
        ("panics", "", "watching panics"),
        ("stays", "", "Watch did not end within 5000 ms"),
    ];
    for (how, meta, wanted) in cases {
        let folder = failing(how, meta);
        graph(&folder, "graph", &[])
            .exits(1)
            .says(wanted)
            .says("never ran      write[");
        assert!(!folder.path().join("after").exists(), "{how}");
    }
    graph(&failing("exit", ""), "graph", &[])
        .exits(1)
        .says("this is the end")
        .says("the host ended (exit status: 7)");
    graph(&failing("wrong", ""), "graph", &[])
        .exits(1)
        .says("wrong is no way to fail")
        .says("refused        the graph");
}

#[test]
fn graph_errors_name_their_place_and_suggest_a_fix() {
    let cases = [
        (
            "graph: g\nresources:\n  wirte: [{name: a}]\n",
            "3:3: the package has no kind \"wirte\"; did you mean \"write\"?",
        ),
        (
            "graph: g\nresources:\n  fail: [{name: a, tims: 1}]\n",
            "3:20: the kind fail has no field \"tims\"; did you mean \"times\"?",
        ),
        (
            "graph: g\nresources:\n  fail: [{name: a, times: many}]\n",
            "3:27: \"many\" is here; write a whole number",
        ),
        ("graph: g\ncollect: []\n", "2:1: collect is not supported"),
        ("graph: [\n", "graph.yaml:2:1:"),
    ];
    for (text, wanted) in cases {
        graph(&with(text), "graph", &[]).exits(2).says(wanted);
    }
    graph(&with("graph: g\n"), "graph/nowhere", &[]).exits(3);
    let unknown = with("graph: g\nresources:\n  fail: [{name: a, tims: 1}]\n");
    graph(&unknown, "graph", &["--skip-unknown"])
        .exits(0)
        .says("graph.yaml:3:20: the kind fail has no field \"tims\"");
}

#[test]
fn lines_of_json_fit_the_published_schema_and_a_drawing_has_all_vertices() {
    let folder = with(ALL);
    let done = graph(&folder, "graph", &["--format", "json"]);
    let schema = folder.run(&["schema", "graph"]);
    let schema: Json = serde_json::from_str(&schema.stdout).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for line in json_lines(&done) {
        assert!(validator.is_valid(&line), "{line}");
    }
    let drawing = graph(&folder, "graph", &["--format", "dot"]);
    drawing
        .exits(0)
        .says("digraph \"all\" {")
        .says("label=\"in the group of\"");
    assert_eq!(drawing.stdout.matches("[label=\"automatic\"").count(), 2);
}

/// Asks a program to end.
pub fn interrupt(child: &Running) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    kill_process(pid.expect("a process"), Signal::TERM).expect("sent");
}

/// Waits until this is so.
pub fn waits_for(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < Duration::from_secs(300), "it never came");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn drift_is_repaired_while_a_graph_is_watched_and_an_interrupt_cleans_up() {
    let folder = with(TWO);
    let package = root().join("fixtures/resources/note");
    let package = package.to_string_lossy().into_owned();
    let child = folder
        .command(&[
            "graph",
            "graph.yaml",
            "--path",
            &package,
            "--watch",
            "--converged-timeout",
            "0.1",
            "--format",
            "json",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("stickler starts");
    let file = folder.path().join("b");
    let is_whole = |path: &Path| fs::read_to_string(path).is_ok_and(|text| text == "two\n");
    waits_for(|| is_whole(&file));
    // It has converged by then.
    sleep(Duration::from_secs(2));
    fs::write(&file, "drift").expect("written");
    waits_for(|| is_whole(&file));
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{stdout}");
    assert_eq!(
        stdout.matches("\"event\":\"cleanup\"").count(),
        2,
        "{stdout}"
    );
}

const CASE: &str = "\
a file is written, and an old one goes
-- old.txt --
old
-- graph.yaml --
graph: g
resources:
  write:
  - {name: '{dir}/new', content: 'in {dir}'}
  - {name: '{dir}/seen', log: '{dir}/log'}
  - {name: '{dir}/old.txt', absent: true}
edges:
- from: {kind: write, name: '{dir}/new'}
  to: {kind: write, name: '{dir}/seen'}
  notify: true
-- second.yaml --
graph: second
resources:
  write:
  - {name: '{dir}/new', content: other}
";

const TRAITS: &str = "\
graph: traits
resources:
  joins:
  - {name: '{dir}/a', text: one}
  - {name: '{dir}/b', text: two}
  sends:
  - {name: '{dir}/sent', text: hello}
  receives:
  - name: '{dir}/received'
    count: 2
    recv: {text: {kind: sends, name: '{dir}/sent', key: text}}
  foo:
  - {name: '{dir}/foo', whatever: x}
edges:
- from: {kind: sends, name: '{dir}/sent'}
  to: {kind: foo, name: '{dir}/foo'}
  notify: true
";

#[test]
fn resources_of_both_forms_send_join_and_refresh() {
    for package in ["kinds", "kinds_done"] {
        let folder = Folder::empty();
        write(&folder, "graph.yaml", TRAITS);
        let done = graph(&folder, package, &["--format", "json"]);
        let calls = events(done.exits(0), "checkapply");
        let first = |kind: &str| {
            let own = |call: &&Json| {
                call["vertex"]
                    .as_str()
                    .is_some_and(|it| it.starts_with(kind))
            };
            calls.iter().find(own).expect("a call")
        };
        assert_eq!(first("foo")["refresh"], true, "{package}");
        let members = first("joins")["members"].as_array().map(Vec::len);
        assert_eq!(members, Some(1), "{package}");
        for (name, content) in [("received", "hellohello"), ("a", "one"), ("b", "two")] {
            assert_eq!(text(&folder, name), content, "{package}: {name}");
        }
    }
}

/// Runs the cases of a folder with the resources of the package `graph`.
fn cases(folder: &Folder, options: &[&str]) -> Output {
    let package = root().join("fixtures/resources/graph");
    let package = package.to_string_lossy().into_owned();
    folder.run(&[&["check", &package, "--cases", "cases"], options].concat())
}

fn put(folder: &Folder, name: &str, text: &str) {
    let path = folder.path().join("cases").join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}

#[test]
fn graph_cases_verify_the_recorded_outcome_and_accept_rewrites_it() {
    let folder = Folder::empty();
    put(&folder, "deep/a.txtar", CASE);
    cases(&folder, &[]).exits(0).says("1 case passed");
    cases(&folder, &["--accept"]).exits(0).says("1 accepted");
    let text = text(&folder, "cases/deep/a.txtar");
    for line in [
        "write[{dir}/seen] checkapply apply=true refresh=true changed\n",
        "swap\nwrite[{dir}/new] checkapply apply=true changed\n",
        "-- end/new --\nother\n",
        "-- end/log --\nrefreshed\n",
        "-- end --\nold.txt\n",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
    cases(&folder, &["--accept"]).exits(0).says("1 case passed");

    let wrong = text
        .replace("refresh=true changed", "ok")
        .replace("-- end/new --\nother", "-- end/new --\nelse")
        .replace("-- end --\nold.txt", "-- end --\nold.txt\nlog");
    put(&folder, "wrong.txtar", &wrong);
    put(
        &folder,
        "bad.txtar",
        "b\n-- graph.yaml --\ngraph: b\nresources:\n  fail: [{name: f, times: 1}]\n",
    );
    let done = cases(&folder, &[]);
    done.exits(1)
        .says("FAIL  cases/wrong.txtar  a file is written, and an old one goes")
        .says("-write[{dir}/seen] checkapply apply=true ok")
        .says("+write[{dir}/seen] checkapply apply=true refresh=true changed")
        .says("-else")
        .says("+other")
        .says("+log")
        .says("+fail[f] failed: failure 1")
        .says("1 case passed, 2 failed");

    let done = cases(&folder, &["--format", "json"]);
    let schema = folder.run(&["schema", "report"]);
    let schema: Json = serde_json::from_str(&schema.stdout).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let lines = json_lines(done.exits(1));
    for line in &lines {
        assert!(validator.is_valid(line), "{line}");
    }
    let verdicts: Vec<&Json> = lines.iter().map(|line| &line["verdict"]).collect();
    assert_eq!(
        verdicts,
        ["fail", "pass", "fail", "null"]
            .map(|word| match word {
                "null" => Json::Null,
                word => word.into(),
            })
            .iter()
            .collect::<Vec<_>>()
    );
    assert_eq!(lines[3]["fail"], 2);
}

#[test]
fn mistakes_in_cases_name_their_place() {
    let folder = Folder::empty();
    cases(&folder, &[]).exits(2);
    put(
        &folder,
        "a.txtar",
        "t\n-- graph.yaml --\ngraph: g\nedge: []\n",
    );
    cases(&folder, &[]).exits(2).says(
        "cases/a.txtar:4:1: graph.yaml: a graph has no key \"edge\"; did you mean \"edges\"?",
    );
    put(
        &folder,
        "a.txtar",
        "t\n-- graph.yaml --\ngraph: g\nresources:\n  fail: [{name: f, tims: 1}]\n",
    );
    cases(&folder, &[])
        .exits(2)
        .says("cases/a.txtar:5:20: the kind fail has no field \"tims\"")
        .says("0 cases passed, 1 wrong");
    put(&folder, "a.txtar", "t\n-- ../x --\n");
    cases(&folder, &[])
        .exits(2)
        .says("../x is no path below the folder of the case");
    cases(&folder, &["--quick"])
        .exits(2)
        .says("cannot be used with");
}
