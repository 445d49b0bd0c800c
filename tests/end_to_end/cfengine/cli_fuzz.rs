//! `stickler fuzz`.

mod bounded;
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
fn a_planted_defect_is_found_reported_once_minimised_and_replayed() {
    let folder = planted("magic_value");
    let arguments = [
        "fuzz",
        "--for",
        "1000s",
        "--seed",
        "1",
        "--until-finding",
        "--coverage",
        "off",
    ];
    let output = folder.run(&[&arguments[..], &["--format", "json"]].concat());
    output.exits(1);
    let found = findings(&output);
    let crash = found
        .iter()
        .find(|line| line["level"] == "must")
        .expect("it is found");
    assert!(
        crash["message"]
            .as_str()
            .expect("text")
            .contains("the cave is open"),
        "{crash}"
    );
    assert_eq!(crash["shown"], crash["tries"]);
    as_published(&output);
    let path = crash["reproducer"].as_str().expect("a path");
    assert!(
        path.starts_with(".stickler/fuzz/module.py/findings/"),
        "{path}"
    );
    // The smallest session: one promise, whose only odd value is the word.
    let text = folder.read(path);
    let case: serde_json::Value =
        serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
    assert_eq!(case["items"].as_array().expect("items").len(), 1, "{case}");
    assert_eq!(
        case["items"][0]["description"],
        "with message = `open sesame`"
    );
    let signatures: std::collections::BTreeSet<&str> = found
        .iter()
        .filter_map(|line| line["signature"].as_str())
        .collect();
    assert_eq!(signatures.len(), found.len(), "each defect once");
    folder.run(&["replay", path]).exits(1).says("still failing");
    // Once it is mended, the same file says so, and so does the corpus.
    folder.replace("module.py", "open sesame", "something that no one says");
    folder.run(&["replay", path]).exits(0).says("fixed");
    let again = folder.run(&["fuzz", "--replay-only", "--format", "json"]);
    again.exits(0);
    assert_eq!(summary(&again)["ended"], "replayed");
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
fn corpora_are_merged_and_made_smaller() {
    let folder = planted("letter_by_letter");
    for corpus in ["a", "b"] {
        let seed = if corpus == "a" { "1" } else { "2" };
        ends(&folder.run(&["fuzz", "--cases", "60", "--seed", seed, "--corpus", corpus]));
    }
    folder
        .run(&["fuzz", "merge", "all", "a", "b"])
        .exits(0)
        .says("new input");
    let all = folder.list("all").len();
    assert!(all >= folder.list("a").len().max(folder.list("b").len()));
    folder
        .run(&["fuzz", "merge", "all", "a"])
        .exits(0)
        .says("0 new inputs");
    // An input that only waits longer than another one shows nothing of its own.
    let some = format!("all/{}", folder.list("all")[0]);
    let waits = r#"{"steps": [{"do": "pause", "ms": 1}, "#;
    let longer = folder.read(&some).replacen("{\n  \"steps\": [", waits, 1);
    folder.write("all/longer.json", &longer);
    folder.run(&["fuzz", "min", "all"]).exits(0).says("kept");
    assert!(!folder.exists("all/longer.json"), "{longer}");
    let fewer = folder.list("all").len();
    assert!(fewer > 0 && fewer <= all, "{fewer} of {all}");
    let again = folder.run(&["fuzz", "min", "all"]);
    again
        .exits(0)
        .says(&format!(": {fewer} input"))
        .says("kept, 0 inputs removed");
    folder
        .run(&["fuzz", "merge", "all", "nowhere"])
        .exits(2)
        .says("nowhere: no such folder");
    folder
        .run(&["fuzz", "min", "nowhere"])
        .exits(2)
        .says("no such file");
    // What is no input is told of and left alone.
    folder.write("all/broken.json", "{");
    folder
        .run(&["fuzz", "--replay-only", "--corpus", "all"])
        .exits(0)
        .says("broken.json: no input of `stickler fuzz`");
    assert!(folder.exists("all/broken.json"));
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

#[test]
fn an_interpreter_reports_lines_and_silence_is_an_error() {
    let lines = |folder: &Folder, arguments: &[&str]| {
        let all = ["fuzz", "--cases", "60", "--seed", "1", "--format", "json"];
        let output = folder.run(&[&all[..], arguments].concat());
        (summary(&output)["lines"].as_u64(), output)
    };
    let folder = planted("letter_by_letter");
    let (seen, output) = lines(&folder, &[]);
    assert!(seen.is_some_and(|lines| lines > 30), "{}", output.all());
    let (seen, output) = lines(&folder, &["--coverage", "off"]);
    assert_eq!(seen, None, "{}", output.all());
    // A hook of the author's own is run as well.
    folder.write(
        "sitecustomize.py",
        "import base\nbase.DEFAULT_MODE = 0o600\n",
    );
    let (seen, output) = lines(&folder, &["--env", "PYTHONPATH=."]);
    assert!(seen.is_some_and(|lines| lines > 30), "{}", output.all());
    // Python tells nothing to what only bash reads.
    let (_, output) = lines(&folder, &["--coverage", "bash"]);
    output
        .exits(4)
        .says("reported no lines, although --coverage requires them");
    folder.write(
        "base.sh",
        &std::fs::read_to_string(root().join("fixtures/mutants/base.sh")).expect("a fixture"),
    );
    folder.replace("stickler.toml", "/usr/bin/python3", "/bin/bash");
    folder.replace("stickler.toml", "module.py", "base.sh");
    let (seen, output) = lines(&folder, &[]);
    assert!(seen.is_some_and(|lines| lines > 30), "{}", output.all());
    output.exits(0);
}

/// A folder with a native module that has a planted defect, built with these further arguments.
fn gate(defect: &str, arguments: &[&str]) -> Folder {
    let folder = Folder::empty();
    let source = root().join("fixtures/planted/gate.c");
    let built = std::process::Command::new("cc")
        .current_dir(folder.path())
        .args([
            "-O1",
            "-fno-builtin",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-o",
            "gate",
        ])
        .arg(source)
        .args(arguments)
        .output()
        .expect("cc runs");
    let errors = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{errors}");
    folder.write(
        "stickler.toml",
        &format!(
            r#"[subject]
promise_type = "gate"
command = ["./gate", "{defect}"]

[[example]]
name = "a greeting"
promiser = "greeting"
attributes = {{ message = "hello", mode = "0644" }}
expect = ["kept"]
"#
        ),
    );
    folder
}

#[test]
fn a_native_module_reports_branches_and_comparisons() {
    let folder = Folder::empty();
    let runtime = folder.run(&["fuzz", "runtime"]);
    folder.write("stickler-coverage.c", &runtime.stdout);
    let runtime = folder.path().join("stickler-coverage.c");
    let runtime = runtime.display().to_string();
    let cover = "-fsanitize-coverage=trace-pc,trace-cmp";
    // The compiler leaves the word in no text of the program: it is found by comparing.
    let folder = gate("magic_value", &[cover, &runtime]);
    let output = folder.run(&["fuzz", "--seed", "1", "--for", "1000s", "--until-finding"]);
    output.exits(1).says("follows native branches");
    output.says("PM405");
    // Letters that are compared one after the other are found one after the other.
    let folder = gate("letter_by_letter", &[cover, &runtime]);
    let output = folder.run(&["fuzz", "--seed", "1", "--for", "1000s", "--until-finding"]);
    output.exits(1).says("PM405");
    // Without a campaign it is a module as any other.
    let folder = gate("none", &[cover, &runtime]);
    folder
        .run(&["check", "--quick", "--select", "PM3", "--sessions", "100"])
        .exits(0);
    // One that is built without tells nothing.
    let folder = gate("none", &[]);
    let all = ["fuzz", "--seed", "1", "--cases", "60"];
    folder.run(&all).exits(0).says("follows answers");
    let output = folder.run(&[&all[..], &["--coverage", "native"]].concat());
    output
        .exits(4)
        .says("reported no branches, although --coverage requires them");
}

/// What the runtime of AFL++ does without its fork server.
pub const AFL: &str = r#"
#include <stdlib.h>
#include <sys/shm.h>
static unsigned char unused[1 << 16], *map = unused;
__attribute__((constructor, no_sanitize_coverage)) static void begin(void) {
    const char *number = getenv("__AFL_SHM_ID");
    if (number) {
        map = shmat(atoi(number), NULL, 0);
        if (map == (void *) -1)
            _exit(1);
    }
}
__attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc(void) {
    map[((char *) __builtin_return_address(0) - (char *) &map) & 0xffff]++;
}
"#;

#[test]
fn a_module_built_with_afl_shares_a_segment_that_no_other_program_sees() {
    let segments = || std::fs::read_to_string("/proc/sysvipc/shm").expect("segments");
    let library = Folder::empty();
    library.write("afl.c", &format!("#include <unistd.h>\n{AFL}"));
    let library = library.path().join("afl.c").display().to_string();
    let folder = gate("second_byte", &["-fsanitize-coverage=trace-pc", &library]);
    let before = segments();
    let all = ["fuzz", "--seed", "1", "--cases", "60", "--format", "json"];
    let output = folder.run(&all);
    let lines = summary(&output)["lines"].as_u64();
    assert!(lines.is_some_and(|lines| lines > 20), "{}", output.all());
    assert_eq!(segments(), before);
}

#[test]
fn campaigns_are_merged_by_their_folders() {
    let folder = planted("magic_value");
    folder.replace("module.py", "== \"open sesame\"", "is not None");
    let part = |name: &str, more: &[&str]| {
        let usual = ["fuzz", "--folder", name, "--cases", "25", "--jobs", "1"];
        folder.run(&[&usual[..], &["--coverage", "off"], more].concat())
    };
    let told = |name: &str| -> serde_json::Value {
        serde_json::from_str(&folder.read(&format!("{name}/summary.json"))).expect("JSON")
    };
    part("a", &["--shard", "1/2", "--format", "json"]).exits(1);
    part("b", &["--shard", "2/2"]).exits(1);
    let summary = told("a");
    assert_eq!(
        (&summary["exit"], &summary["ended"]),
        (&1.into(), &"limit".into())
    );
    assert!(summary["must"].as_u64() > Some(0), "{summary}");
    let output = folder.run(&["fuzz", "merge", "all", "a", "b"]);
    output
        .exits(1)
        .says("a: ")
        .says(" sessions, ")
        .says("new finding");
    // What both have found is there once: the shorter of two files.
    let found = folder.list("all/findings");
    let of = |part: &str| folder.list(&format!("{part}/findings"));
    let each: std::collections::BTreeSet<String> = of("a").into_iter().chain(of("b")).collect();
    assert_eq!(found, each.into_iter().collect::<Vec<_>>());
    let (of_a, of_b) = (of("a"), of("b"));
    let both: Vec<&String> = found
        .iter()
        .filter(|name| of_a.contains(name) && of_b.contains(name))
        .collect();
    assert!(!both.is_empty(), "{of_a:?} {of_b:?}");
    for name in both {
        let size = |part: &str| folder.read(&format!("{part}/findings/{name}")).len();
        assert_eq!(size("all"), size("a").min(size("b")), "{name}");
    }
    let replayed = format!("all/findings/{}", found[0]);
    folder
        .run(&["replay", &replayed])
        .exits(1)
        .says("still failing");
    let again = folder.run(&["fuzz", "merge", "all", "a", "b"]);
    again.exits(1).says("all: 0 new inputs, 0 new findings");
    // What was merged can be merged again, and so can a corpus alone.
    folder
        .run(&["fuzz", "merge", "whole", "all"])
        .exits(1)
        .says("all: ");
    folder
        .run(&["fuzz", "merge", "whole", "a/corpus"])
        .exits(0)
        .says("0 new inputs");
    // A campaign goes on from the folder, and a replay leaves its summary alone.
    part("all", &["--replay-only"])
        .exits(2)
        .says("cannot be used with");
    folder
        .run(&["fuzz", "--folder", "all", "--replay-only"])
        .exits(1);
    assert_eq!(told("all")["event"], "merged");
    part("all", &[]).exits(1).says("of the corpus");
    assert_eq!(told("all")["event"], "summary");
    // What did not run to its end is told; what tested nothing is never green.
    folder.write(
        "killed/summary.json",
        &told("a").to_string().replace("limit", "running"),
    );
    let output = folder.run(&["fuzz", "merge", "more", "killed"]);
    output.exits(1).says("did not end properly");
    folder.write("c/corpus/.keep", "");
    let output = folder.run(&["fuzz", "merge", "more", "c"]);
    output.exits(4).says("c has no summary.json");
    folder.write(
        "d/summary.json",
        r#"{"cases": 0, "ended": "running", "exit": 0}"#,
    );
    folder
        .run(&["fuzz", "merge", "more", "d"])
        .exits(4)
        .says("d: 0 sessions");
    folder.write("d/summary.json", "{");
    let output = folder.run(&["fuzz", "merge", "more", "d"]);
    output
        .exits(2)
        .says("d/summary.json: no summary of a campaign");
    folder
        .run(&["fuzz", "merge", "more", "a", "nowhere"])
        .exits(2)
        .says("nowhere: no such folder");
    // What is no recording of sessions is told of and left out.
    folder.write("b/findings/broken.jsonl", "{\n");
    let output = folder.run(&["fuzz", "merge", "all", "b"]);
    output.exits(1).says("left out: b/findings/broken.jsonl");
    assert!(!folder.exists("all/findings/broken.jsonl"));
}

#[test]
fn a_killed_campaign_has_written_its_findings() {
    let folder = planted("magic_value");
    folder.replace("module.py", "== \"open sesame\"", "is not None");
    runs::kill(&folder, &["fuzz", "--folder", "part", "--coverage", "off"]);
    let output = folder.run(&["fuzz", "merge", "all", "part"]);
    output
        .exits(1)
        .says("did not end properly")
        .says("all/findings/");
}

#[test]
fn an_input_can_limit_the_process_fill_the_disk_and_break_a_write() {
    let folder = planted("magic_value");
    // The module tells what it meets by how it ends.
    folder.write(
        "module.py",
        r#"
import errno, os, resource
from base import Module

class Subject(Module):
    def evaluate(self, request):
        if resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 16:
            raise SystemExit("few descriptors")
        if os.statvfs(os.path.dirname(request["promiser"])).f_bavail == 0:
            raise SystemExit("no space")
        try:
            open(request["promiser"] + ".mine", "w").close()
            os.unlink(request["promiser"] + ".mine")
        except OSError as error:
            raise SystemExit("broken" if error.errno == errno.EIO else "refused")
        return super().evaluate(request)

Subject().main()
"#,
    );
    let ask = |more: &str| {
        format!(
            r#"{{"do": "ask", "verb": "evaluate", "example": "a greeting", "kind": "file_content",
            "identity": [["promiser", "/tmp/stickler/dir/greeting"]],
            "attributes": [["message", "hello"], ["mode", "0644"]]{more}}}"#
        )
    };
    let usual = ask("");
    let broken = ask(r#", "at_write": {"fail": 1}"#);
    for (name, input, told) in [
        (
            "limit",
            format!(
                r#"{{"surroundings": [{{"limit": ["descriptors", 16]}}], "steps": [{usual}]}}"#
            ),
            "few descriptors",
        ),
        (
            "full",
            format!(r#"{{"steps": [{usual}, {{"do": "protect", "how": "full"}}, {usual}]}}"#),
            "no space",
        ),
        (
            "read-only",
            format!(r#"{{"steps": [{{"do": "protect", "how": "read_only"}}, {usual}]}}"#),
            "refused",
        ),
        ("write", format!(r#"{{"steps": [{broken}]}}"#), "broken"),
    ] {
        folder.write(&format!("{name}/input.json"), &input);
        let all = ["fuzz", "--replay-only", "-v", "--strict", "--corpus", name];
        let output = folder.run(&all);
        output.says(told);
        // Nobody gives a module so few descriptors: what it does then is advice.
        output.exits(i32::from(name != "limit"));
        let rule = match name {
            "full" | "read-only" => "PM807",
            _ => "PM901",
        };
        output.says(rule);
    }
}

#[test]
fn a_hang_is_confirmed_beside_the_campaign() {
    let folder = planted("hang");
    let all = [
        "fuzz",
        "--seed",
        "4",
        "--jobs",
        "2",
        "--for",
        "1000s",
        "--until-finding",
    ];
    let output = folder.run(&[&all[..], &["--format", "json"]].concat());
    let found = findings(output.exits(1));
    let rules: Vec<_> = found.iter().map(|one| &one["rule"]).collect();
    assert!(rules.iter().any(|rule| *rule == "PM902"), "{rules:?}");
    let requests = summary(&output)["requests"].as_u64();
    assert!(
        requests.is_some_and(|requests| requests > 500),
        "{requests:?}"
    );
}

/// A campaign with so many cases in a push, and so many in a nightly run.
fn campaign(folder: &Folder, push: &str, nightly: &str) -> Output {
    let cases = if is_nightly() { nightly } else { push };
    folder.run(&["fuzz", "--seed", "1", "--cases", cases, "--format", "json"])
}

#[test]
fn a_crash_is_told_once_whatever_led_to_it() {
    let folder = planted("any_field");
    let output = campaign(&folder, "250", "700");
    let mut found = findings(output.exits(1));
    found.retain(|one| one["level"] != "may");
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn a_module_that_reads_any_path_is_not_given_the_channel() {
    let folder = planted("channel");
    folder.write("plain_json.py", "from json import dumps, loads\n");
    let output = campaign(&folder, "300", "900");
    let mut found = findings(output.exits(0));
    found.retain(|one| one["level"] != "may");
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_campaign_follows_comparisons_in_python_code() {
    let folder = planted("deep");
    // The library of the fixtures reads letter by letter, and each line costs time.
    folder.write("plain_json.py", "from json import dumps, loads\n");
    let all = [
        "fuzz",
        "--seed",
        "1",
        "--jobs",
        "1",
        "--for",
        "1000s",
        "--until-finding",
    ];
    let output = folder.run(&[&all[..], &["--format", "json"]].concat());
    let found = findings(output.exits(1));
    let mut messages = found.iter().filter_map(|one| one["message"].as_str());
    assert!(
        messages.any(|message| message.contains("the lake is deep")),
        "{found:#?}"
    );
}

#[test]
fn no_file_of_a_campaign_holds_a_secret() {
    let folder = planted("magic_value");
    folder.replace("module.py", "== \"open sesame\"", "!= \"hunter22-secret\"");
    folder.replace("module.py", "the cave is open", "it is another word");
    folder.replace("stickler.toml", "\"hello\"", "\"hunter22-secret\"");
    folder.replace(
        "stickler.toml",
        "path =",
        "sensitive = [\"message\"]\npath =",
    );
    let usual = [
        "fuzz",
        "--seed",
        "1",
        "--folder",
        "own",
        "--coverage",
        "off",
    ];
    let output = folder.run(&[&usual[..], &["--cases", "150"]].concat());
    // The author's own value goes to the module as it is.
    output.exits(1).says("it is another word");
    let again = folder.run(&[&usual[..], &["--replay-only", "--format", "json"]].concat());
    assert!(again.code < 2, "{}", again.all());
    assert!(!folder.list("own/corpus").is_empty());
    for name in ["own", "own/corpus", "own/findings"] {
        for file in std::fs::read_dir(folder.path().join(name)).expect("a folder") {
            let path = file.expect("a file").path();
            let text = std::fs::read(&path).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            assert!(
                !text.contains("hunter22-secret"),
                "{}: {text}",
                path.display()
            );
        }
    }
    let masked = folder.list("own/corpus").into_iter();
    let mut masked = masked.map(|name| folder.read(&format!("own/corpus/{name}")));
    assert!(masked.any(|text| text.contains("REDACTED(0)")));
}

#[test]
fn a_promise_that_fails_must_not_spoil_the_next() {
    let folder = planted("magic_value");
    // Once one has failed, all that follow do.
    folder.replace(
        "module.py",
        "    def evaluate",
        "    spoiled = False\n\n    \
        def failed(self, request, problem):\n        self.spoiled = True\n        \
        return super().failed(request, problem)\n\n    \
        def repaired(self, request, todo):\n        \
        if self.spoiled:\n            return self.failed(request, OSError(5, \"spoiled\"))\n        \
        return super().repaired(request, todo)\n\n    def evaluate",
    );
    let output = campaign(&folder, "150", "300");
    let found = findings(&output);
    let is_spoiled = |one: &serde_json::Value| one["rule"] == "PM305";
    assert!(found.iter().any(is_spoiled), "{found:#?}");
}

#[test]
fn half_a_message_is_the_last_one() {
    let folder = planted("magic_value");
    folder.replace(
        "module.py",
        "    def evaluate",
        "    def read_line(self):\n        \
        line = super().read_line()\n        if line and not line.endswith(b\"\\n\"):\n            \
        os.abort()\n        return line\n\n    def evaluate",
    );
    folder.replace("module.py", "from base", "import os\n\nfrom base");
    let output = campaign(&folder, "150", "300");
    let found = findings(&output);
    let at_end = |one: &serde_json::Value| one["rule"] == "PM214";
    assert!(found.iter().any(at_end), "{found:#?}");
}

#[test]
fn a_finding_that_depends_on_the_environment_does_not_fail_the_run() {
    let folder = planted("magic_value");
    folder.replace(
        "module.py",
        "request[\"attributes\"][\"message\"] == \"open sesame\"",
        "\"HOME\" not in os.environ",
    );
    folder.replace("module.py", "from base", "import os\n\nfrom base");
    let output = folder.run(&["fuzz", "--seed", "1", "--cases", "400"]);
    output.exits(0).says("with no HOME");
    let path = folder.list(".stickler/fuzz/module.py/findings");
    let path = path
        .iter()
        .find(|name| name.ends_with(".jsonl"))
        .expect("a finding");
    let path = format!(".stickler/fuzz/module.py/findings/{path}");
    folder.run(&["replay", &path]).says("with no HOME");
}

/// A promise about the interpreter leaves a machine on which the module does not start again.
#[test]
fn a_module_promised_to_overwrite_its_interpreter_is_not_blamed() {
    let folder = Folder::sound();
    let interpreter = std::fs::canonicalize("/usr/bin/python3").expect("an interpreter");
    // No program may write to one that runs; its library is free.
    let name = interpreter.file_name().and_then(|name| name.to_str());
    let library = format!("/usr/lib/{}/encodings/__init__.py", name.expect("a name"));
    assert!(
        std::fs::exists(&library).is_ok_and(|exists| exists),
        "{library}"
    );
    let made = format!(
        r#"{{"steps": [
            {{"do": "ask", "verb": "evaluate", "kind": "message", "identity": [["promiser", "{library}"]],
              "attributes": [["message", "hello"]]}},
            {{"do": "restart"}},
            {{"do": "ask", "verb": "evaluate", "kind": "message", "identity": [["promiser", "{{dir}}/motd"]],
              "attributes": [["message", "hello"]]}}]}}"#
    );
    folder.write("mine/made.json", &made);
    let all = ["fuzz", "--seed", "1", "--replay-only", "--corpus", "mine"];
    folder
        .run(&[&all[..], &["--coverage", "off", "--strict"]].concat())
        .exits(0)
        .says("nothing failed");
}
