//! `stickler fuzz --agent` with a cf-agent that breaks the protocol. Needs cf-agent (`ci/setup` installs it).

use super::cli_conform::{lines_of, wrapped};
use super::cli_fuzz::follows::AFL;
use crate::calls::{processes_of, wait_until};
use crate::cli::Folder;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

const SEED: [&str; 2] = ["--seed", "5"];

/// One rule, so that little is made smaller.
const ONE: [&str; 5] = ["--select", "AG106", "--cases", "8", "--until-finding"];

fn fuzz(folder: &Folder, arguments: &[&str], agent: &str) -> (i32, Vec<Value>) {
    let words: &[&str] = &["fuzz", "--agent", "--format", "json"];
    lines_of(folder, &[words, &SEED, arguments, &["--", agent]].concat())
}

fn found(lines: &[Value]) -> Vec<&Value> {
    lines
        .iter()
        .filter(|line| line["event"] == "finding")
        .collect()
}

#[test]
fn a_broken_agent_is_found_and_both_its_files_show_it_again() {
    let folder = wrapped("no-terminate");
    let (code, told) = fuzz(&folder, &ONE, "./wrapper.py");
    let all = found(&told);
    assert_eq!(code, 1, "{told:?}");
    let rules: Vec<&str> = all.iter().filter_map(|one| one["rule"].as_str()).collect();
    assert!(rules.contains(&"AG106"), "{rules:?}");
    let one = all
        .iter()
        .find(|one| one["rule"] == "AG106")
        .expect("AG106");
    let file = |name: &str| one[name].as_str().expect("a file").to_owned();
    let reproducer = file("reproducer");
    assert_eq!(folder.run_anew(&["replay", &reproducer]).code, 1);
    let situation = file("situation");
    let again = [
        "--situations",
        &situation,
        "-k",
        "fuzz",
        "--select",
        "AG106",
    ];
    let words = [
        &["conform", "--format", "json"],
        &again[..],
        &["--", "./wrapper.py"],
    ]
    .concat();
    assert_eq!(lines_of(&folder, &words).0, 1);
    let sound = [
        &["conform", "--format", "json"],
        &again[..],
        &["--", "cf-agent"],
    ]
    .concat();
    assert_ne!(lines_of(&folder, &sound).0, 1);
}

#[test]
fn a_seed_chooses_the_same_situations_with_any_number_of_workers() {
    let folder = Folder::empty();
    let few = ["--select", "AG106", "--cases", "6"];
    let counts = |jobs: &str| {
        let (code, told) = fuzz(&folder, &[&few[..], &["--jobs", jobs]].concat(), "cf-agent");
        let last = told.last().cloned().unwrap_or_default();
        (
            code,
            last["cases"].clone(),
            last["requests"].clone(),
            last["corpus"].clone(),
        )
    };
    let one = counts("1");
    assert_eq!(one.0, 0);
    assert_eq!(counts("3"), one);
}

#[test]
fn what_is_for_modules_is_refused_by_name() {
    let folder = Folder::empty();
    let refused = [
        (&["--coverage", "python"][..], "--coverage"),
        (&["--coverage", "ruby"], "--coverage"),
        (&["--corpus", "c"], "--corpus"),
        (&["--replay-only"], "--replay-only"),
        (&["--shard", "1/2"], "--shard"),
        (&["--interpreter", "python3"], "--interpreter"),
        (&["module.py"], "module"),
        (&["--dialect", "resource-api"], "--agent"),
        (&["--dialect", "mgmt"], "--agent"),
    ];
    for (words, named) in refused {
        let words = [&["fuzz", "--agent"], words, &["--", "cf-agent"]].concat();
        let output = folder.run_anew(&words);
        assert_eq!(output.code, 2, "{words:?}: {}", output.stderr);
        assert!(
            output.stderr.contains(named),
            "{words:?}: {}",
            output.stderr
        );
    }
    assert_eq!(folder.run_anew(&["fuzz", "--agent"]).code, 2);
}

#[test]
fn one_cause_is_told_once_as_a_small_situation() {
    let folder = Folder::empty();
    // A dozen situations show each of them more than once.
    let few = ["--select", "AG105,AG111", "--cases", "24"];
    let (_, told) = fuzz(&folder, &few, "cf-agent");
    let all = found(&told);
    assert!(!all.is_empty(), "{told:?}");
    let causes =
        |text: fn(&Value) -> String| all.iter().map(|one| text(one)).collect::<BTreeSet<_>>();
    let signatures = causes(|one| one["signature"].to_string());
    assert_eq!(signatures.len(), all.len());
    // Of a rule that judges no ends, the values in a message make no difference.
    let named = |code: &str| all.iter().filter(|one| one["rule"] == code).count();
    assert!(named("AG105") <= 1 && named("AG111") <= 2, "{signatures:?}");
    for one in all {
        let file = folder.read(one["situation"].as_str().expect("a file"));
        let situation: Value = serde_json::from_str(&file).expect("JSON");
        let modules = situation["modules"].as_object().expect("modules");
        let answers = modules
            .values()
            .filter_map(|module| module["answers"].as_array());
        assert!(answers.map(Vec::len).sum::<usize>() <= 2, "{file}");
    }
}

/// An agent whose own part has a branch for each option that it knows.
const AGENT: &str = r#"
#include <string.h>
#include <unistd.h>
volatile int seen;
int main(int count, char **words) {
    for (int at = 1; at < count; at++) {
        if (!strcmp(words[at], "-n")) seen = 1;
        else if (!strcmp(words[at], "-v")) seen = 2;
        else if (!strcmp(words[at], "-I")) seen = 3;
        else if (!strncmp(words[at], "--simulate", 10)) seen = 4;
    }
    words[0] = "cf-agent";
    execvp(words[0], words);
    return 1;
}
"#;

fn built(more: &[&str]) -> Folder {
    let folder = Folder::empty();
    folder.write("agent.c", AGENT);
    let built = std::process::Command::new("cc")
        .current_dir(folder.path())
        .args(["-O1", "-fno-builtin", "-o", "agent", "agent.c"])
        .args(more)
        .output()
        .expect("cc runs");
    let errors = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{errors}");
    folder
}

#[test]
fn an_agent_that_was_built_so_tells_its_branches() {
    let few = ["--select", "AG106", "--cases", "6"];
    let lines = |folder: &Folder| {
        let (code, told) = fuzz(folder, &few, "./agent");
        assert_eq!(code, 0, "{told:?}");
        told.last().and_then(|last| last["lines"].as_u64())
    };
    let library = Folder::empty();
    let runtime = library.run(&["fuzz", "runtime"]);
    library.write("stickler-coverage.c", &runtime.stdout);
    library.write("afl.c", &format!("#include <unistd.h>\n{AFL}"));
    let file = |name: &str| library.path().join(name).display().to_string();
    let native = built(&["-fsanitize-coverage=trace-pc", &file("stickler-coverage.c")]);
    assert!(lines(&native) > Some(3));
    let afl = built(&["-fsanitize-coverage=trace-pc", &file("afl.c")]);
    assert!(lines(&afl) > Some(3));
    let off = [&few[..], &["--coverage", "off"]].concat();
    let (_, told) = fuzz(&native, &off, "./agent");
    assert_eq!(told.last().map(|last| last["lines"].is_null()), Some(true));
    // One that is built without tells nothing.
    let bare = built(&[]);
    assert_eq!(lines(&bare), None);
    let demanded = [&few[..], &["--coverage", "native"]].concat();
    assert_eq!(fuzz(&bare, &demanded, "./agent").0, 4);
}

#[test]
fn an_interrupted_campaign_waits_for_no_agent() {
    let folder = wrapped("none");
    let agent = folder.path().join("wrapper.py");
    let agent = agent.to_str().expect("text");
    // Without a limit, it begins with modules that never answer.
    let child = folder
        .command(&["fuzz", "--agent", "--select", "AG106", "--", "./wrapper.py"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("stickler starts");
    wait_until("an agent waits", || {
        let before = processes_of(agent);
        std::thread::sleep(Duration::from_secs(4));
        !before.is_disjoint(&processes_of(agent))
    });
    let asked = Instant::now();
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    kill_process(pid.expect("a process"), Signal::TERM).expect("sent");
    let output = child.wait_with_output().expect("stickler ends");
    assert_eq!(output.status.signal(), Some(15));
    // The agents would have been given more than a minute.
    assert!(asked.elapsed() < Duration::from_secs(30));
    assert!(processes_of(agent).is_empty());
}
