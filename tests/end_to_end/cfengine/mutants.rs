//! What else the mutants of promise modules show: shards, failures that are told early, and sound bases.

use crate::calls::is_nightly;
use crate::common::{Checked, check_with, on_terminal, part, root, several_a_cpu, side_by_side};
use crate::proof::modules::{Module, bases, mutants};
use std::collections::BTreeSet;
use std::path::Path;
use toml::Value;

fn run(module: &Module, arguments: &[&str]) -> Checked {
    let folder = tempfile::tempdir().expect("a folder");
    module.prepare(folder.path());
    let arguments = [&["--jobs", "1"], arguments].concat();
    check_with(folder.path(), &module.files(), &arguments)
}

#[test]
fn shards_together_fail_as_the_whole_suite_does() {
    let mut mutants = mutants();
    // Rules that compare sessions, on mutants that start quickly and never hang.
    const RULES: [&str; 5] = ["PM905", "PM910", "PM213", "PM808", "PM904"];
    let rules = &RULES[..if is_nightly() { RULES.len() } else { 1 }];
    mutants.retain(|(rule, module)| module.defines.is_some() && rules.contains(&&rule[..]));
    let complaints = side_by_side(&mutants, |(rule, module)| {
        let failed = |arguments: &[&str]| -> BTreeSet<String> {
            let checked = run(module, arguments);
            checked
                .with(&["fail", "flaky", "advice"])
                .into_iter()
                .collect()
        };
        let whole = failed(&[]);
        let shards = ["1/3", "2/3", "3/3"].map(|shard| failed(&["--shard", shard]));
        let shards: BTreeSet<String> = shards.into_iter().flatten().collect();
        (shards != whole).then(|| format!("{rule}: {whole:?}, in shards {shards:?}"))
    });
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn growth_is_seen_at_each_pace() {
    // A slow subject gets fewer requests. Those of the kind that grows must still be spread over all of them.
    let (_, leaks) = mutants()
        .into_iter()
        .find(|(rule, _)| rule == "PM908")
        .expect("a mutant");
    let paces = ["0.0", "0.006", "0.02", "0.11"];
    let complaints = side_by_side(&paces, |pace| {
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("slow.py");
        let text = std::fs::read_to_string(&leaks.source).expect("its source");
        let bases = root().join("fixtures/mutants");
        let text = text
            .replace("os.path.dirname(os.path.dirname(os.path.abspath(__file__)))", &format!("{bases:?}"))
            .replace("    opened = []\n", &format!("    opened = []\n\n    def evaluate(self, request):\n        import time\n        time.sleep({pace})\n        return super().evaluate(request)\n"));
        assert!(text.contains("time.sleep"), "the mutant is another one");
        std::fs::write(&source, text).expect("written");
        let slow = Module {
            source,
            ..leaks.clone()
        };
        slow.prepare(folder.path());
        let arguments = [
            "--jobs",
            "1",
            "--quick",
            "--sessions-for",
            "PM908",
            "--example",
            "a greeting",
        ];
        let checked = check_with(folder.path(), &slow.files(), &arguments);
        let found = checked.with(&["fail", "flaky", "advice"]);
        (!found.iter().any(|rule| rule == "PM908"))
            .then(|| format!("{pace} s: {found:?} {}", checked.stderr))
    });
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn failures_reported_during_a_run_also_fail_the_final_report() {
    let mut mutants = mutants();
    mutants.retain(|(_, module)| module.source.extension().is_some_and(|e| e == "py"));
    if !is_nightly() {
        // Failures of answers and of comparisons.
        const RULES: [&str; 2] = ["PM401", "PM905"];
        mutants.retain(|(rule, _)| RULES.contains(&&rule[..]));
        // Each takes as long as a run that is told something before its end.
        mutants.dedup_by(|one, before| one.0 == before.0);
    }
    let results = several_a_cpu(4, &mutants, |(rule, module)| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut module = module.clone();
        slow_down(folder.path(), &mut module);
        module.prepare(folder.path());
        let screen = on_terminal(
            folder.path(),
            &[
                "check",
                "--time",
                "none",
                "--quick",
                "--output",
                "json=report",
            ],
        );
        let report = std::fs::read_to_string(folder.path().join("report")).unwrap_or_default();
        let lines = report.lines();
        let lines: Vec<serde_json::Value> = lines
            .map(|line| serde_json::from_str(line).expect("a JSON line"))
            .collect();
        let told = screen.told();
        let wrong = |code: &&&str| {
            !lines.iter().any(|line| {
                line["rule"] == **code
                    && line["verdict"] == "fail"
                    && line["level"] == "must"
                    && line["explained_by"].is_null()
            })
        };
        let wrong: Vec<&&str> = told.iter().filter(wrong).collect();
        let complaint = (!wrong.is_empty() || lines.is_empty())
            .then(|| format!("{rule}, {}: {wrong:?} of {told:?}", module.name()));
        (complaint, told.len())
    });
    let complaints: Vec<&String> = results.iter().flat_map(|(one, _)| one).collect();
    assert!(complaints.is_empty(), "{complaints:#?}");
    let told = results.iter().filter(|(_, number)| *number > 0).count();
    assert!(told * 4 >= mutants.len(), "only {told} were told anything");
}

/// Makes each process of a module take a while to start.
fn slow_down(folder: &Path, module: &mut Module) {
    let about = module.config.get_mut("subject");
    let about = about.and_then(Value::as_table_mut).expect("a table");
    let interpreter = about["interpreter"].as_str().expect("text");
    let slow = folder.join("slow");
    let script = format!("#!/bin/sh\n/bin/sleep 0.2\nexec {interpreter} \"$@\"\n");
    std::fs::write(&slow, script).expect("written");
    std::fs::set_permissions(&slow, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("it is ours");
    about.insert("interpreter".into(), slow.display().to_string().into());
}

#[test]
fn nothing_fails_on_the_base_modules_of_the_mutants() {
    let bases = bases();
    let results = side_by_side(&bases, |module| {
        run(module, &[&["--strict"], part()].concat())
    });
    for (module, checked) in bases.iter().zip(results) {
        assert_eq!(
            checked.exit,
            Some(0),
            "{}:\n{}{}",
            module.name(),
            checked.failures(),
            checked.stderr
        );
    }
}
