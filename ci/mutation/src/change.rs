//! Changes of a transcript that operators of several dialects make.

use crate::answer::{Answer, replaced};
use regex::bytes::Regex;
use stickler_transcript::{Change, ChangeKind, Entry, Event, FileType, Transcript};

/// Makes a mutant of one answer; `None` where the answer has nothing to change.
pub type Operator = fn(&Transcript, &Answer<'_>) -> Option<Transcript>;

/// Replaces what a pattern finds in an answer.
pub fn edit(
    transcript: &Transcript,
    answer: &Answer<'_>,
    from: &str,
    to: &str,
) -> Option<Transcript> {
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

/// Takes away what was seen after an answer.
pub fn without_effects(transcript: &Transcript, answer: &Answer<'_>) -> Option<Transcript> {
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

/// Adds a file to what was seen after an answer.
pub fn with_file(transcript: &Transcript, answer: &Answer<'_>) -> Option<Transcript> {
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
