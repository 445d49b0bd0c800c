//! The proof of the rules: each mutant is caught by its rule and by no other, and no near miss is
//! caught. The table rule × subject is written to `target/mutants.txt`.

use crate::common::{Checked, check, compile, on_terminal, root, several_a_cpu, side_by_side};
use cfengine_protocol::Session;
use cfengine_protocol::rules::RULES;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use stickler_transcript::{Relation, read_transcripts};
use toml::{Table, Value};

#[derive(Clone)]
struct Subject {
    rule: String,
    near: bool,
    name: String,
    companions: BTreeSet<String>,
    config: Table,
    source: PathBuf,
    defines: Option<Vec<String>>,
}

fn table() -> (Table, Vec<Subject>) {
    let folder = root().join("fixtures/mutants");
    let text = std::fs::read_to_string(folder.join("mutants.toml")).expect("the table");
    let table: Table = text.parse().expect("TOML");
    let shared = table["shared"].as_table().expect("[shared]").clone();
    let subjects = table["subject"]
        .as_array()
        .expect("[[subject]]")
        .iter()
        .map(|entry| subject(&folder, &shared, entry.as_table().expect("a table")))
        .collect();
    (shared, subjects)
}

/// What runs mutants in Python: a Python that starts quickly.
fn python() -> &'static str {
    static PYTHON: OnceLock<String> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let source = root().join("fixtures/mutants/python.c");
        let program = compile(&source, Path::new(env!("CARGO_TARGET_TMPDIR")), &[]);
        program.display().to_string()
    })
}

fn text(entry: &Table, key: &str) -> Option<String> {
    Some(entry.get(key)?.as_str()?.to_owned())
}

fn subject(folder: &Path, shared: &Table, entry: &Table) -> Subject {
    let protocol = text(entry, "protocol").expect("protocol");
    let path = text(entry, "path").expect("path");
    let defines = entry.get("define").map(|list| {
        let mut defines: Vec<String> = list
            .as_array()
            .expect("a list")
            .iter()
            .map(|define| define.as_str().expect("text").to_owned())
            .collect();
        if protocol == "json" {
            defines.push("JSON".into());
        }
        defines
    });
    let mut about = entry
        .get("set")
        .and_then(Value::as_table)
        .cloned()
        .unwrap_or_default();
    if !about.contains_key("promise_types") {
        about.insert("promise_type".into(), shared["promise_type"].clone());
    }
    match text(entry, "interpreter").as_deref() {
        Some("python3") => about.insert("interpreter".into(), python().into()),
        Some(other) => about.insert("interpreter".into(), other.into()),
        None => None,
    };
    let mut config = Table::new();
    config.insert("subject".into(), Value::Table(about));
    let usual = shared[&protocol[..]].as_table().expect("examples");
    for key in ["example", "invalid"] {
        if let Some(list) = entry.get(key).or(usual.get(key)) {
            config.insert(key.into(), list.clone());
        }
    }
    // The paths of services and stand-ins for commands are relative to this folder, but the
    // configuration is elsewhere.
    if let Some(services) = entry.get("service").and_then(Value::as_array) {
        let absolute = |word: &Value| {
            let path = folder.join(word.as_str().expect("a word"));
            let file = path.is_file().then(|| path.display().to_string().into());
            file.unwrap_or_else(|| word.clone())
        };
        let services = services.iter().map(|service| {
            let mut service = service.as_table().expect("a table").clone();
            let words = service["command"].as_array().expect("words").iter();
            let words = words.map(absolute).collect();
            service.insert("command".into(), Value::Array(words));
            Value::Table(service)
        });
        config.insert("service".into(), Value::Array(services.collect()));
    }
    if let Some(fakes) = entry.get("fake").and_then(Value::as_table) {
        let absolute = |file: &Value| {
            let path = folder.join(file.as_str().expect("a path"));
            Value::String(path.display().to_string())
        };
        let fakes = fakes
            .iter()
            .map(|(name, file)| (name.clone(), absolute(file)));
        config.insert("fake".into(), Value::Table(fakes.collect()));
    }
    // The suite runs into the deadline of a hanging mutant several times.
    if let Some(about) = config.get_mut("subject").and_then(Value::as_table_mut) {
        let deadlines = Table::from_iter([("evaluate".to_owned(), Value::Float(4.0))]);
        about.entry("deadlines").or_insert(Value::Table(deadlines));
    }
    let near = text(entry, "kind").as_deref() == Some("near");
    let rule = text(entry, "rule").expect("rule");
    Subject {
        name: format!(
            "{rule} {} {path} {}",
            if near { "near" } else { "mutant" },
            defines.as_ref().map(|d| d.join(" ")).unwrap_or_default()
        ),
        near,
        rule,
        companions: entry
            .get("companions")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|code| Some(code.as_str()?.to_owned()))
            .collect(),
        config,
        source: folder.join(path),
        defines,
    }
}

fn run(subject: &Subject, arguments: &[&str]) -> Checked {
    let folder = tempfile::tempdir().expect("a folder");
    run_in(folder.path(), subject, arguments)
}

fn run_in(folder: &Path, subject: &Subject, arguments: &[&str]) -> Checked {
    prepare(folder, subject);
    let mut all = vec!["--jobs", "1"];
    all.extend(arguments);
    check(folder, &all)
}

/// Writes a subject's `stickler.toml` into a folder.
fn prepare(folder: &Path, subject: &Subject) {
    let program = match &subject.defines {
        Some(defines) => compile(&subject.source, folder, defines),
        None => subject.source.clone(),
    };
    let mut config = subject.config.clone();
    if let Some(about) = config.get_mut("subject").and_then(Value::as_table_mut) {
        about.insert("path".into(), Value::String(program.display().to_string()));
    }
    std::fs::write(
        folder.join("stickler.toml"),
        toml::to_string(&config).expect("TOML"),
    )
    .expect("written");
}

/// The last try of a subject.
struct Proof {
    /// How much of the suite ran.
    suite: &'static str,
    checked: Checked,
    complaint: Option<String>,
    /// The families that caught it, if the sessions are kept.
    families: BTreeSet<String>,
    /// The time of all tries.
    seconds: f64,
}

/// What is wrong with the verdicts on a subject; `None` if nothing is.
fn complaint(subject: &Subject, checked: &Checked) -> Option<String> {
    if checked.rules.is_empty() {
        return Some(format!("no verdicts: {}", checked.stderr));
    }
    let failed: BTreeSet<String> = checked.with(&["fail", "flaky"]).into_iter().collect();
    let own = checked.verdict(&subject.rule);
    let caught = ["fail", "advice"].contains(&own);
    if subject.near && caught {
        return Some(format!("{} is {own}", subject.rule));
    }
    if !subject.near && !caught {
        return Some(format!(
            "not caught: {} is {own}; failed: {failed:?}",
            subject.rule
        ));
    }
    let others: Vec<&String> = failed
        .iter()
        .filter(|code| **code != subject.rule && !subject.companions.contains(*code))
        .collect();
    (!others.is_empty()).then(|| format!("fails beside it: {others:?}"))
}

#[test]
fn each_mutant_is_caught_by_its_rule_alone_and_no_near_miss_is() {
    let (_, subjects) = table();
    // `ci/prove` sets both.
    let only = std::env::var("STICKLER_MUTANTS").unwrap_or_default();
    let thorough = std::env::var_os("STICKLER_PROVE").is_some();
    let subjects: Vec<Subject> = subjects
        .into_iter()
        .filter(|subject| subject.name.contains(&only))
        .collect();
    assert!(!subjects.is_empty(), "no subject has `{only}` in its name");
    let results = several_a_cpu(3, &subjects, |subject| {
        let begin = std::time::Instant::now();
        // The cheapest sessions for its rule and companions catch most mutants. A near miss meets
        // all of them. If the result is wrong or doubtful, the whole suite runs, and once more,
        // because a busy machine may have missed a deadline.
        let codes: Vec<&str> = std::iter::once(&subject.rule)
            .chain(&subject.companions)
            .map(String::as_str)
            .collect();
        let codes = codes.join(",");
        let all_of_rule = ("partly", vec!["--sessions-for", &codes]);
        let cheapest = ("quick", vec!["--quick", "--sessions-for", &codes]);
        let whole = ("whole", Vec::new());
        let tries = match (thorough, subject.near) {
            (true, _) => vec![whole.clone(), whole],
            (false, true) => vec![all_of_rule, whole.clone(), whole],
            (false, false) => vec![cheapest, all_of_rule, whole.clone(), whole],
        };
        let mut last = None;
        for (suite, mut arguments) in tries {
            let folder = tempfile::tempdir().expect("a folder");
            if thorough {
                arguments.push("--keep");
            }
            let checked = run_in(folder.path(), subject, &arguments);
            let proof = last.insert(Proof {
                suite,
                families: families(folder.path(), &subject.rule),
                complaint: complaint(subject, &checked),
                checked,
                seconds: begin.elapsed().as_secs_f64(),
            });
            if proof.complaint.is_none() {
                break;
            }
        }
        let proof = last.expect("at least one try");
        if let Some(complaint) = &proof.complaint {
            // Prints at once, because the whole table takes a while.
            let _ = writeln!(std::io::stderr(), "{}: {complaint}", subject.name);
        }
        proof
    });
    let mut lines = String::new();
    let mut complaints = String::new();
    for (subject, proof) in subjects.iter().zip(&results) {
        let Proof { suite, seconds, .. } = proof;
        let failed = proof.checked.with(&["fail", "flaky"]).join(" ");
        let advice = proof.checked.with(&["advice"]).join(" ");
        let _ = writeln!(
            lines,
            "{:<48} {seconds:5.1} s  {suite:<6}  fails: {failed}  advice: {advice}",
            subject.name
        );
        if let Some(complaint) = &proof.complaint {
            let _ = writeln!(complaints, "{}: {complaint}", subject.name);
            let _ = writeln!(complaints, "{}", proof.checked.failures().trim_end());
        }
    }
    let _ = std::fs::write(root().join("target/mutants.txt"), &lines);
    if thorough {
        let caught = subjects.iter().zip(results);
        let caught: Vec<_> = caught
            .filter(|(subject, _)| !subject.near)
            .map(|(subject, proof)| (subject, proof.families))
            .collect();
        let _ = std::fs::write(
            root().join("target/families.md"),
            table_of_families(&caught),
        );
    }
    assert!(complaints.is_empty(), "\n{complaints}");
}

/// The plan families whose kept sessions show a rule broken, named by the relation of the
/// sessions.
fn families(folder: &Path, code: &str) -> BTreeSet<String> {
    let mut sessions = Vec::new();
    let kept = std::fs::read_dir(folder.join(".stickler/sessions"));
    let mut files: Vec<PathBuf> = kept
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    for file in files {
        let open = std::fs::File::open(file).expect("a session");
        let read = read_transcripts(std::io::BufReader::new(open)).expect("a transcript");
        sessions.extend(read.into_iter().map(Session::new));
    }
    let rules: Vec<_> = RULES.iter().filter(|rule| rule.code == code).collect();
    let ledgers = stickler_judge::judge(&rules, &sessions);
    let findings = ledgers.iter().flat_map(|ledger| &ledger.findings);
    // A session that is only a reference for comparison does not count.
    findings
        .map(|finding| {
            let case = sessions[finding.place.session].case();
            match case.id.split('/').next() {
                // The examples as they are belong to the groups of many families.
                Some("baseline" | "again" | "late" | "alone" | "invalid") => None,
                _ => case.groups.first().map(|member| member.relation),
            }
            .map_or_else(|| "examples".to_owned(), |relation| relation.to_string())
        })
        .collect()
}

/// A table for people: which plan families catch the mutants, and which of them alone.
fn table_of_families(caught: &[(&Subject, BTreeSet<String>)]) -> String {
    let mut catches: BTreeMap<&str, usize> = BTreeMap::new();
    let mut alone: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (subject, families) in caught {
        for family in families {
            *catches.entry(family).or_default() += 1;
        }
        if let [only] = &Vec::from_iter(families)[..] {
            alone.entry(only).or_default().push(&subject.rule);
        }
    }
    let mut rows: Vec<(&str, usize)> = catches.into_iter().collect();
    for relation in Relation::ALL {
        if !rows.iter().any(|(family, _)| *family == relation.name()) {
            rows.push((relation.name(), 0));
        }
    }
    rows.sort_by_key(|(family, count)| (std::cmp::Reverse(*count), *family));
    let mut text = String::from(
        "| family | sessions | mutants caught | by it alone | rules |\n|---|---|---|---|---|\n",
    );
    for (family, count) in rows {
        let mut rules = alone.get(family).cloned().unwrap_or_default();
        let mutants = rules.len();
        rules.dedup();
        let about = Relation::parse(family).map_or("The examples as they are.", Relation::about);
        let _ = writeln!(
            text,
            "| {family} | {about} | {count} | {mutants} | {} |",
            rules.join(" ")
        );
    }
    text
}

#[test]
fn every_rule_has_a_mutant_and_a_near_miss() {
    let (_, subjects) = table();
    let mut kinds: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for subject in &subjects {
        kinds.entry(&subject.rule).or_default()[usize::from(subject.near)] += 1;
    }
    let lacking: Vec<String> = RULES
        .iter()
        .filter(|rule| {
            let [mutants, near] = kinds.get(rule.code).copied().unwrap_or_default();
            mutants == 0 || near == 0
        })
        .map(|rule| rule.code.to_owned())
        .collect();
    assert!(
        lacking.is_empty(),
        "without a mutant or a near miss: {lacking:?}"
    );
}

#[test]
fn shards_together_fail_as_the_whole_suite_does() {
    let (_, mut subjects) = table();
    // Rules that compare sessions, on mutants that start quickly and never hang.
    const RULES: [&str; 5] = ["PM213", "PM808", "PM904", "PM905", "PM910"];
    subjects.retain(|subject| {
        subject.defines.is_some() && !subject.near && RULES.contains(&&subject.rule[..])
    });
    let complaints = side_by_side(&subjects, |subject| {
        let failed = |arguments: &[&str]| -> BTreeSet<String> {
            let checked = run(subject, arguments);
            checked
                .with(&["fail", "flaky", "advice"])
                .into_iter()
                .collect()
        };
        let whole = failed(&[]);
        let shards = ["1/3", "2/3", "3/3"].map(|shard| failed(&["--shard", shard]));
        let shards: BTreeSet<String> = shards.into_iter().flatten().collect();
        (shards != whole).then(|| format!("{}: {whole:?}, in shards {shards:?}", subject.name))
    });
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn what_is_told_while_a_run_goes_on_fails_in_the_end() {
    let (_, mut subjects) = table();
    let interpreted = |one: &Subject| one.source.extension().is_some_and(|e| e == "py");
    subjects.retain(|one| !one.near && interpreted(one));
    if std::env::var_os("STICKLER_PROVE").is_none() {
        // Failures of answers, of effects, of comparisons; one explains another; hangs.
        const RULES: [&str; 7] = [
            "PM201", "PM305", "PM401", "PM501", "PM803", "PM804", "PM905",
        ];
        subjects.retain(|one| RULES.contains(&&one.rule[..]));
        // Each takes as long as a run that is told something before its end.
        subjects.dedup_by(|one, before| one.rule == before.rule);
    }
    let results = several_a_cpu(4, &subjects, |subject| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut subject = subject.clone();
        slow_down(folder.path(), &mut subject);
        prepare(folder.path(), &subject);
        let screen = on_terminal(
            folder.path(),
            &["check", "--time", "12s", "--output", "json=report"],
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
            .then(|| format!("{}: {wrong:?} of {told:?}", subject.name));
        (complaint, told.len())
    });
    let complaints: Vec<&String> = results.iter().flat_map(|(one, _)| one).collect();
    assert!(complaints.is_empty(), "{complaints:#?}");
    let told = results.iter().filter(|(_, number)| *number > 0).count();
    assert!(told * 3 >= subjects.len(), "only {told} were told anything");
}

/// Makes each process of a subject take a while to start.
fn slow_down(folder: &Path, subject: &mut Subject) {
    let about = subject.config.get_mut("subject");
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
    let (shared, _) = table();
    let folder = root().join("fixtures/mutants");
    let subject = |path: &str, protocol: &str, interpreter: Option<&str>| {
        let mut entry = Table::new();
        entry.insert("rule".into(), "PM101".into());
        entry.insert("kind".into(), "near".into());
        entry.insert("path".into(), path.into());
        entry.insert("protocol".into(), protocol.into());
        match interpreter {
            Some(interpreter) => entry.insert("interpreter".into(), interpreter.into()),
            None => entry.insert("define".into(), Value::Array(Vec::new())),
        };
        subject(&folder, &shared, &entry)
    };
    let subjects = [
        subject("base.py", "json", Some("python3")),
        subject("base.sh", "line", Some("/bin/bash")),
        subject("native.c", "line", None),
        subject("native.c", "json", None),
    ];
    let results = side_by_side(&subjects, |subject| run(subject, &["--strict"]));
    for (subject, checked) in subjects.iter().zip(results) {
        assert_eq!(
            checked.exit,
            Some(0),
            "{}:\n{}{}",
            subject.name,
            checked.failures(),
            checked.stderr
        );
    }
}
