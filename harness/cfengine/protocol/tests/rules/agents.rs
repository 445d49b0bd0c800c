//! The rules for agents and the recorded sessions of `fixtures/agents`: who is judged by them, and who is not.

use cfengine_protocol::Session;
use cfengine_protocol::agents::{AGENT_RULES, all_rules};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use stickler_judge::{AnySession, Expectations, Rule, Verdict, conclude, judge};
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
fn verdicts(transcript: &Transcript, rules: &[&Rule], verdict: Verdict) -> BTreeSet<&'static str> {
    let sessions = [AnySession::new(Session::new(transcript.clone()))];
    let ledgers = judge(rules, &sessions);
    let outcomes = conclude(rules, &ledgers, &sessions, &Expectations::default());
    let zipped = rules.iter().zip(&outcomes);
    zipped
        .filter(|(_, outcome)| outcome.verdict == verdict)
        .map(|(rule, _)| rule.code)
        .collect()
}

fn agent_rules() -> Vec<&'static Rule> {
    AGENT_RULES.iter().collect()
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
