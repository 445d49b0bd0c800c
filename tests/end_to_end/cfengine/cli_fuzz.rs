//! `stickler fuzz`.

mod bounded;
mod corpora;
mod finds;
pub mod follows;
mod runs;
mod unreached;

use crate::calls::{Running, SOON, is_nightly};
use crate::cli::{Folder, Output, json_lines};
use crate::common::{Call, STICKLER, root};
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A folder with one of the modules with a planted defect.
fn planted(name: &str) -> Folder {
    let folder = Folder::empty();
    let read = |file: &str| std::fs::read_to_string(root().join(file)).expect("a fixture");
    for library in ["base.py", "plain_json.py"] {
        folder.write(library, &read(&format!("fixtures/mutants/{library}")));
    }
    folder.write("module.py", &read(&format!("fixtures/planted/{name}.py")));
    folder.write(
        "stickler.toml",
        r#"[subject]
promise_type = "file_content"
interpreter = "/usr/bin/python3"
path = "module.py"
env = { PYTHONDONTWRITEBYTECODE = "1" }

[[example]]
name = "a greeting"
promiser = "{dir}/greeting"
attributes = { message = "hello", mode = "0644" }
expect = ["repaired", "kept"]
"#,
    );
    folder
}

/// A campaign ended, whether it found the defect or not.
fn ends(output: &Output) {
    assert!(output.code < 2, "{}", output.all());
}

fn findings(output: &Output) -> Vec<serde_json::Value> {
    let mut lines = json_lines(output);
    lines.retain(|line| line["event"] == "finding");
    lines
}

fn summary(output: &Output) -> serde_json::Value {
    json_lines(output).pop().expect("a summary")
}

/// Each line has the keys that the published schema names, and no other.
fn as_published(output: &Output) {
    let text = std::fs::read_to_string(root().join("docs/schema/fuzz.schema.json"));
    let schema: serde_json::Value = serde_json::from_str(&text.expect("a schema")).expect("JSON");
    for line in json_lines(output) {
        let event = line["event"].as_str().expect("an event");
        let about = &schema["$defs"][event];
        let known = about["properties"].as_object().expect("properties");
        let line = line.as_object().expect("an object");
        for key in line.keys() {
            assert!(known.contains_key(key), "{event}: {key}");
        }
        for key in about["required"].as_array().expect("a list") {
            assert!(
                line.contains_key(key.as_str().expect("text")),
                "{event}: no {key}"
            );
        }
    }
}

#[test]
fn nothing_is_found_in_a_sound_module_and_the_campaign_can_go_on() {
    let folder = planted("magic_value");
    folder.replace("module.py", "== \"open sesame\"", "is None");
    let output = folder.run(&["fuzz", "--cases", "150", "--seed", "1", "--jobs", "2"]);
    output
        .exits(0)
        .says("nothing failed")
        .says("the corpus is in");
    let corpus = folder.list(".stickler/fuzz/module.py/corpus");
    assert!(corpus.len() > 3, "{corpus:?}");
    assert!(
        corpus.iter().all(|name| name.ends_with(".json")),
        "{corpus:?}"
    );
    let again = folder.run(&["fuzz", "--cases", "5"]);
    again
        .exits(0)
        .says(&format!("and {} inputs of the corpus", corpus.len()));
    // A folder that the user names is theirs: nothing else is written there.
    folder
        .run(&["fuzz", "--cases", "20", "--corpus", "mine"])
        .exits(0);
    assert!(
        folder
            .list("mine")
            .iter()
            .all(|name| name.ends_with(".json"))
    );
}

#[test]
fn a_campaign_shows_what_each_technique_brought_if_asked() {
    let folder = planted("magic_value");
    let campaign = ["fuzz", "--cases", "150", "--seed", "1", "--jobs", "1"];
    let output = folder.run(&[&campaign[..], &["--yields"]].concat());
    ends(&output);
    assert!(output.all().contains("new marks"), "{}", output.all());
    assert!(output.all().contains("seed/examples"), "{}", output.all());
    let more = ["--folder", "second", "--report", "page", "--format", "json"];
    let output = folder.run(&[&campaign[..], &more].concat());
    ends(&output);
    as_published(&output);
    let summary = summary(&output);
    let yields = summary["yields"].as_array().expect("a list");
    let total = |key: &str| -> u64 { yields.iter().filter_map(|one| one[key].as_u64()).sum() };
    // Sessions that only confirm or compare count for no technique.
    assert!(total("tried") > 10, "{summary}");
    assert!(total("marks") > 0 && total("corpus") > 0, "{summary}");
    let text = std::fs::read_to_string(root().join("docs/schema/fuzz.schema.json"));
    let schema: serde_json::Value = serde_json::from_str(&text.expect("a schema")).expect("JSON");
    let item = &schema["$defs"]["summary"]["properties"]["yields"]["items"];
    for one in yields {
        let keys = one.as_object().expect("an object").keys();
        assert!(
            keys.eq(item["properties"].as_object().expect("keys").keys()),
            "{one}"
        );
    }
    assert!(folder.read("page/index.html").contains("id=\"techniques\""));
    // Nobody asked.
    let output = folder.run(&["fuzz", "--cases", "5", "--seed", "1", "--folder", "third"]);
    ends(&output);
    assert!(!output.all().contains("new marks"), "{}", output.all());
}

/// What a process writes when it starts, such as byte code, stays for all inputs that it takes.
#[test]
fn processes_live_on_from_input_to_input() {
    let folder = planted("letter_by_letter");
    let text = folder.read("stickler.toml");
    folder.write(
        "stickler.toml",
        &text.replace("env = { PYTHONDONTWRITEBYTECODE = \"1\" }\n", ""),
    );
    let campaign = [
        "fuzz",
        "--seed",
        "1",
        "--coverage",
        "off",
        "--format",
        "json",
    ];
    let output = folder.run(&[&campaign[..], &["--cases", "600", "--jobs", "1"]].concat());
    let summary = summary(&output);
    let count = |key: &str| summary[key].as_u64().expect("a number");
    assert!(count("processes") * 2 < count("cases"), "{summary}");
}

#[test]
fn without_an_example_promises_are_generated() {
    let module = root().join("fixtures/modules/greeting_broken_py/greeting.py");
    let text = std::fs::read_to_string(module).expect("a module");
    let folder = Folder::empty();
    folder.write("greeting.py", &text);
    let campaign = ["fuzz", "./greeting.py", "--seed", "1", "--coverage", "off"];
    let output = folder.run(&[&campaign[..], &["--cases", "60", "--jobs", "1"]].concat());
    output.exits(1).says("makes up items of type greeting");
    output.says("attributes found: message").says("PM503");
    // A module that accepts none of them: the campaign says that it evaluated nothing.
    folder.write(
        "picky.py",
        &text.replace(
            "def complaint(request)",
            "def complaint(_):\n    return \"no\"\n\n\ndef unused(request)",
        ),
    );
    let campaign = ["fuzz", "./picky.py", "--seed", "1", "--coverage", "off"];
    let output = folder.run(&[&campaign[..], &["--cases", "60", "--jobs", "1"]].concat());
    output.says("nothing was evaluated").says("[[example]]");
    // Nobody has written these promises, so nothing is evaluated without a sandbox.
    let campaign = ["fuzz", "./greeting.py", "--sandbox", "none", "--seed", "1"];
    let output = folder.run(&[&campaign[..], &["--cases", "30"]].concat());
    output.says("nothing was evaluated");
}

#[test]
fn sandboxes_that_share_a_directory_take_turns() {
    let folder = planted("magic_value");
    for tier in ["copy", "none"] {
        let tier = ["--sandbox", tier, "--jobs", "2"];
        let arguments = [&["fuzz", "--cases", "25", "--seed", "1"], &tier[..]].concat();
        ends(&folder.run(&arguments));
    }
}

#[test]
fn a_campaign_that_tests_nothing_is_never_green() {
    let folder = Folder::sound();
    folder.replace(
        "message.py",
        "        answer(data)\n\n\nmain()",
        "\n\nmain()",
    );
    let output = folder.run(&["fuzz", "--cases", "20", "--env", "X=1"]);
    output.exits(1).says("FOUND PM902 must");
    let folder = Folder::sound();
    folder.replace(
        "message.py",
        "        answer(data)\n\n\nmain()",
        "        sys.exit(1)\n\n\nmain()",
    );
    let output = folder.run(&["fuzz", "--cases", "20"]);
    output.exits(4).says("nothing was tested");
    let folder = Folder::sound();
    folder.replace("stickler.toml", "\"{dir}/motd\"", "\"motd\"");
    let output = folder.run(&["fuzz", "--cases", "20"]);
    output.exits(4).says("accepts none of the examples");
    let folder = Folder::sound();
    let output = folder.run(&["fuzz", "--replay-only"]);
    output.exits(4).says("the corpus is empty");
    let folder = Folder::sound();
    folder
        .run(&["fuzz", "--for", "soon"])
        .exits(2)
        .says("--for soon");
    folder
        .run(&["fuzz", "--cases", "0"])
        .exits(2)
        .says("--cases 0");
    folder
        .run(&["fuzz", "nowhere.py", "--for", "1s"])
        .exits(2)
        .says("nowhere.py");
}

#[test]
fn a_campaign_is_interrupted_cleanly_and_survives_being_killed() {
    let folder = planted("magic_value");
    folder.replace("module.py", "== \"open sesame\"", "is None");
    // A test that runs in the background may have been told to ignore Ctrl-C.
    let begin = || {
        Call::of("env")
            .args(["--default-signal=INT", STICKLER, "fuzz", "--format", "json"])
            .args(["--seed", "1", "--corpus", "kept"])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("stickler starts")
    };
    let signal = |child: &Running, signal| {
        let pid = i32::try_from(child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        rustix::process::kill_process(pid.expect("a process"), signal).expect("sent");
    };
    let shared = || {
        let entries = std::fs::read_dir("/dev/shm")
            .expect("it is there")
            .flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names
            .filter(|name| name.starts_with("stickler-coverage-"))
            .count()
    };
    let before = shared();
    for _ in 0..3 {
        let mut child = begin();
        std::thread::sleep(Duration::from_millis(900));
        signal(&child, rustix::process::Signal::KILL);
        child.wait().expect("it is dead");
    }
    // Each file is whole.
    let mut child = begin();
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut lines = lines.by_ref().map(|line| {
        let line = line.expect("text");
        serde_json::from_str::<serde_json::Value>(&line).expect("JSON")
    });
    let is_under_way = |line: &serde_json::Value| line["cases"].as_u64() > Some(0);
    lines.find(is_under_way).expect("it tells how far it is");
    let asked = Instant::now();
    signal(&child, rustix::process::Signal::INT);
    let last = lines.last().expect("a summary");
    let output = child.wait_with_output().expect("it ends");
    assert!(asked.elapsed() < SOON, "{:?}", asked.elapsed());
    assert_eq!(last["ended"], "interrupted", "{last}");
    assert_eq!(last["troubles"], serde_json::json!([]), "{last}");
    assert_eq!(output.status.code(), Some(0), "{last}");
    // Other tests have campaigns too.
    assert!(shared() <= before + 4, "what was shared is left");
}

/// A campaign with so many cases in a push, and so many in a nightly run.
fn campaign(folder: &Folder, push: &str, nightly: &str) -> Output {
    let cases = if is_nightly() { nightly } else { push };
    folder.run(&["fuzz", "--seed", "1", "--cases", cases, "--format", "json"])
}
