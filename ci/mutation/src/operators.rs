//! What can go wrong in an answer, and in what the subject does meanwhile.

mod promise_modules;
mod providers;

use crate::answer::{Answer, replaced};
use regex::bytes::Regex;
use stickler_dialects::{PROMISE_MODULE, RESOURCE_API};
use stickler_transcript::{Change, ChangeKind, Entry, Event, FileType, Transcript};

/// Makes a mutant of one answer; `None` where the answer has nothing to change.
pub type Operator = fn(&Transcript, &Answer<'_>) -> Option<Transcript>;

/// The operators for a dialect, with their names, and how many of a hundred mutants have to be seen. A
/// provider may lose rows that no later call asks for, so fewer of its mutants are defects.
pub fn operators(dialect: &str) -> (&'static [(&'static str, Operator)], usize) {
    match dialect {
        PROMISE_MODULE => (promise_modules::OPERATORS, 95),
        RESOURCE_API => (providers::OPERATORS, 60),
        _ => (&[], 0),
    }
}

fn edit(transcript: &Transcript, answer: &Answer<'_>, from: &str, to: &str) -> Option<Transcript> {
    let pattern = Regex::new(from).ok()?;
    let data = pattern
        .replace_all(&answer.data, to.as_bytes())
        .into_owned();
    (data != answer.data).then(|| replaced(transcript, answer, data))
}

/// The observation right after an answer, as an index.
fn observation(transcript: &Transcript, answer: &Answer<'_>) -> Option<usize> {
    let after = &transcript.events[answer.at + 1..];
    let offset = after
        .iter()
        .take_while(|event| !matches!(event, Event::Request(_)))
        .position(|event| matches!(event, Event::Effects { .. }))?;
    Some(answer.at + 1 + offset)
}

fn without_effects(transcript: &Transcript, answer: &Answer<'_>) -> Option<Transcript> {
    let mut changed = transcript.clone();
    let at = observation(transcript, answer)?;
    let Event::Effects { changes, .. } = &mut changed.events[at] else {
        return None;
    };
    if changes.is_empty() {
        return None;
    }
    changes.clear();
    Some(changed)
}

fn with_file(transcript: &Transcript, answer: &Answer<'_>) -> Option<Transcript> {
    let mut changed = transcript.clone();
    let at = observation(transcript, answer)?;
    let dir = transcript.case.dirs.first()?.clone();
    let Event::Effects { changes, .. } = &mut changed.events[at] else {
        return None;
    };
    changes.push(Change {
        path: [&dir[..], b"/left"].concat().into(),
        kind: ChangeKind::Created,
        before: None,
        after: Some(Entry {
            kind: FileType::File,
            mode: 0o644,
            uid: 0,
            gid: 0,
            size: 1,
            digest: Some("0".repeat(64)),
            content: Some("x".into()),
        }),
    });
    Some(changed)
}
