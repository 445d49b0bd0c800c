//! `stickler fuzz --agent` with a cf-agent that breaks the protocol. Needs cf-agent (`ci/setup` installs it).

use super::cli_conform::{lines_of, wrapped};
use crate::cli::Folder;
use serde_json::Value;

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
