//! The proof of the rules for agents: the table rule × mutant.

use cfengine_protocol::Session;
use cfengine_protocol::agents::{AGENT_RULES, all_rules};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use stickler_judge::{Expectations, Rule, Verdict, conclude, judge};
use stickler_transcript::{Driver, Transcript, read_transcripts};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/agents")
}

/// The transcripts, by the names of their files.
fn transcripts() -> BTreeMap<String, Transcript> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder()).expect("the fixtures").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".jsonl") else {
            continue;
        };
        let bytes = fs::read(entry.path()).expect("a file");
        let [transcript] = &read_transcripts(&bytes[..]).expect(name)[..] else {
            panic!("{name} holds one session");
        };
        all.insert(name.to_owned(), transcript.clone());
    }
    all
}

/// The rules that a session has one of these verdicts of.
fn verdicts(
    transcript: &Transcript,
    rules: &[&Rule<Session>],
    verdict: Verdict,
) -> BTreeSet<&'static str> {
    let sessions = [Session::new(transcript.clone())];
    let ledgers = judge(rules, &sessions);
    let outcomes = conclude(rules, &ledgers, &sessions, &Expectations::default());
    let zipped = rules.iter().zip(&outcomes);
    zipped
        .filter(|(_, outcome)| outcome.verdict == verdict)
        .map(|(rule, _)| rule.code)
        .collect()
}

fn agent_rules() -> Vec<&'static Rule<Session>> {
    AGENT_RULES.iter().collect()
}

/// What is declared to be broken with a rule.
fn companions() -> toml::Table {
    let text = fs::read_to_string(folder().join("agents.toml")).expect("the table");
    let table: toml::Table = text.parse().expect("TOML");
    table["companions"].as_table().expect("a table").clone()
}

#[test]
fn each_mutant_breaks_its_rule_and_each_near_miss_none() {
    let all = transcripts();
    let companions = companions();
    let mut wrong = Vec::new();
    for (name, transcript) in &all {
        let mut wanted: BTreeSet<&str> = BTreeSet::new();
        if let Some((code, _)) = name.split_once("_mutant") {
            wanted.insert(code);
            let more = companions.get(name).and_then(toml::Value::as_array);
            wanted.extend(more.into_iter().flatten().filter_map(toml::Value::as_str));
        }
        let found = verdicts(transcript, &agent_rules(), Verdict::Fail);
        if found != wanted {
            wrong.push(format!("{name}: {found:?}, not {wanted:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_rule_has_a_mutant_and_a_near_miss_that_it_passes() {
    let all = transcripts();
    for rule in AGENT_RULES {
        let of = |kind: &str| {
            let prefix = format!("{}_{kind}", rule.code);
            let names = all
                .iter()
                .filter(move |(name, _)| name.starts_with(&prefix));
            names.map(|(_, transcript)| transcript).collect::<Vec<_>>()
        };
        assert!(!of("mutant").is_empty(), "{} has no mutant", rule.code);
        let near = of("near_miss");
        assert!(!near.is_empty(), "{} has no near miss", rule.code);
        let exercised = near
            .iter()
            .any(|near| verdicts(near, &[rule], Verdict::Pass).contains(rule.code));
        // A module that ended by itself leaves nothing to terminate.
        assert!(exercised || rule.code == "AG106", "{}", rule.code);
    }
}

#[test]
fn modules_are_not_blamed_for_sound_sessions_of_agents() {
    let rules: Vec<_> = all_rules().collect();
    for (name, transcript) in transcripts() {
        if name.starts_with("sound") {
            let found = verdicts(&transcript, &rules, Verdict::Fail);
            assert!(found.is_empty(), "{name}: {found:?}");
        }
    }
}

#[test]
fn the_suite_is_not_judged_as_an_agent() {
    for (name, mut transcript) in transcripts() {
        // As the suite would have driven it: with its requests marked.
        transcript = Session::new(transcript).transcript.clone();
        transcript.case.driver = Driver::Suite;
        let silent = verdicts(&transcript, &agent_rules(), Verdict::NotExercised);
        assert_eq!(silent.len(), AGENT_RULES.len(), "{name}");
    }
}

#[test]
fn a_recording_of_another_agent_has_no_outcomes() {
    let all = transcripts();
    let silent = verdicts(&all["sound_json"], &agent_rules(), Verdict::NotExercised);
    for code in ["AG113", "AG114", "AG116", "AG117", "AG118"] {
        assert!(silent.contains(code), "{code}");
    }
}
