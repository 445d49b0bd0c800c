//! `check --shard`: all parts together report what the whole run reports.

use crate::cli::{Folder, Output, json_lines};
use crate::common::{compile, root};
use std::collections::{BTreeMap, BTreeSet};

/// What is reported about a rule: how serious it is, and each kind of finding with its level.
type Reported = (&'static str, BTreeSet<(String, String)>);

/// From the least to the most that a part can say.
const VERDICTS: [&str; 6] = [
    "not-exercised",
    "skipped",
    "pass",
    "advice",
    "flaky",
    "fail",
];

fn reported(output: &Output) -> BTreeMap<String, Reported> {
    let lines = json_lines(output).into_iter();
    let rules = lines.filter(|line| line["event"] == "rule");
    rules
        .map(|line| {
            let verdict = VERDICTS.iter().find(|known| line["verdict"] == **known);
            let findings = line["findings"].as_array().into_iter().flatten();
            let kinds = findings.map(|one| (one["variant"].to_string(), one["level"].to_string()));
            let kinds: BTreeSet<(String, String)> = kinds.collect();
            let rule = line["rule"].as_str().expect("a code").to_owned();
            (rule, (*verdict.expect("a known verdict"), kinds))
        })
        .collect()
}

/// The worst that any part says, and all that they found.
fn together(parts: impl Iterator<Item = BTreeMap<String, Reported>>) -> BTreeMap<String, Reported> {
    let rank = |verdict: &str| VERDICTS.iter().position(|known| *known == verdict);
    let mut all: BTreeMap<String, Reported> = BTreeMap::new();
    for (rule, (verdict, kinds)) in parts.flatten() {
        let known = all.entry(rule).or_insert((verdict, BTreeSet::new()));
        if rank(verdict) > rank(known.0) {
            known.0 = verdict;
        }
        known.1.extend(kinds);
    }
    all
}

#[test]
fn shards_report_the_same_failures_as_a_whole_run() {
    // Findings of several levels, in sessions of their own and in comparisons.
    let defects = [
        "MUTANT_PM906",
        "MUTANT_PM603",
        "MUTANT_PM808",
        "MUTANT_PM912",
    ];
    let folder = Folder::empty();
    let source = root().join("fixtures/mutants/native.c");
    let program = compile(&source, folder.path(), &defects.map(str::to_owned));
    folder.write(
        "stickler.toml",
        &format!(
            "[subject]\npromise_type = \"file_content\"\npath = {program:?}\n\
             [[example]]\nname = \"one\"\npromiser = \"{{dir}}/one\"\n\
             attributes = {{ message = \"hello\", mode = \"0640\", tags = \"a,b\" }}\n\
             [[example]]\nname = \"two\"\npromiser = \"{{dir}}/two\"\n\
             attributes = {{ message = \"Hello, world\" }}\n"
        ),
    );
    let run = |part: &[&str]| {
        let check = ["check", "--time", "none", "--format", "json"];
        reported(&folder.run(&[&check, part].concat()))
    };
    let whole = run(&[]);
    let found: BTreeSet<&str> = whole.values().map(|one| one.0).collect();
    assert!(
        found.contains("fail") && found.contains("advice"),
        "{whole:?}"
    );
    let parts = ["1/3", "2/3", "3/3"].map(|part| run(&["--shard", part]));
    assert_eq!(together(parts.into_iter()), whole);
}
