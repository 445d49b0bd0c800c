//! Where two runs differ.

use crate::run::Run;
use crate::seen::{Change, Message, Seen, Status};
use stickler_oracle::{Comparison, Difference, changed_paths};

/// Why the catalog as a whole cannot be applied.
const ERROR: &str = "error";
/// Messages, by number.
const MESSAGE: &str = "message";
/// What became of a resource.
const RESOURCE: &str = "resource";
/// Events of a resource, by number.
const EVENT: &str = "event";
/// Changes to files, by path.
const EFFECTS: &str = "effects";

/// Compares two runs with their effects.
pub fn compare(theirs: &Run, ours: &Run) -> Comparison {
    let mut differences = of_seen(&theirs.seen, &ours.seen);
    for path in changed_paths(&theirs.effects, &ours.effects) {
        differences.push(Difference {
            aspect: EFFECTS,
            parts: vec![path.head],
            diff: path.diff,
            ..Difference::default()
        });
    }
    let both = theirs.seen.error.is_some() && ours.seen.error.is_some();
    Comparison {
        differences,
        exit: match &theirs.seen.error {
            Some(error) => format!("not applied: {error}"),
            None => "applied".to_owned(),
        },
        rejected: ours.seen.error.clone().filter(|_| both),
        not_compared: Vec::new(),
    }
}

/// Compares what two runs showed. Durations do not count.
pub fn of_seen(theirs: &Seen, ours: &Seen) -> Vec<Difference> {
    let their_error = theirs.error.as_deref().map(first_words);
    let own_error = ours.error.as_deref().map(first_words);
    let error = Difference::of_texts(ERROR, their_error.as_deref(), own_error.as_deref());
    let mut found: Vec<Difference> = error.into_iter().collect();
    if ours.error.is_some() && theirs.error.is_some() {
        // What came before is of no use to anybody then.
        return found;
    }
    pairs(MESSAGE, None, &theirs.logs, &ours.logs, told, &mut found);
    let of = |statuses: &[Status], name: &str| -> Option<Status> {
        statuses.iter().find(|one| one.resource == name).cloned()
    };
    for own in &ours.statuses {
        let their = of(&theirs.statuses, &own.resource);
        statuses(their.as_ref(), Some(own), &own.resource, &mut found);
    }
    for their in &theirs.statuses {
        if of(&ours.statuses, &their.resource).is_none() {
            statuses(Some(their), None, &their.resource, &mut found);
        }
    }
    found
}

fn statuses(
    theirs: Option<&Status>,
    ours: Option<&Status>,
    resource: &str,
    found: &mut Vec<Difference>,
) {
    let (their_state, own_state) = (theirs.map(state), ours.map(state));
    let states = Difference::of_texts(RESOURCE, their_state.as_deref(), own_state.as_deref());
    found.extend(states.map(|one| one.in_parts([resource])));
    if let (Some(theirs), Some(ours)) = (theirs, ours) {
        let resource = Some(resource);
        pairs(EVENT, resource, &theirs.events, &ours.events, event, found);
    }
}

/// Compares lists item by item, so that one that varies hides no other.
fn pairs<T>(
    aspect: &'static str,
    resource: Option<&str>,
    theirs: &[T],
    ours: &[T],
    text: impl Fn(&T) -> String,
    found: &mut Vec<Difference>,
) {
    for index in 0..ours.len().max(theirs.len()) {
        let (their, own) = (theirs.get(index).map(&text), ours.get(index).map(&text));
        let one = Difference::of_texts(aspect, their.as_deref(), own.as_deref());
        let parts = resource.map(str::to_owned).into_iter();
        let parts = parts.chain([(index + 1).to_string()]);
        found.extend(one.map(|one| one.in_parts(parts)));
    }
}

fn told(log: &Message) -> String {
    format!(
        "{}: {}: {}",
        log.level,
        log.source,
        without_durations(&log.message)
    )
}

fn state(status: &Status) -> String {
    let mut words = Vec::new();
    for (word, is_so) in [
        ("failed", status.failed),
        ("changed", status.changed),
        ("skipped", status.skipped),
        ("out of sync", status.out_of_sync),
    ] {
        if is_so {
            words.push(word);
        }
    }
    match words.is_empty() {
        true => "in sync".to_owned(),
        false => words.join(", "),
    }
}

fn event(event: &Change) -> String {
    format!(
        "{} {}: {} ({} to {})",
        event.property.as_deref().unwrap_or("as a whole"),
        event.status,
        without_durations(&event.message),
        event.previous,
        event.desired
    )
}

/// The message without what Puppet adds about places and nodes.
fn first_words(message: &str) -> String {
    let message = message
        .strip_prefix("Evaluation Error: Error while evaluating a Resource Statement, ")
        .unwrap_or(message);
    let end = [" (file: ", " (line: ", " on node ", " at (", "; resource "]
        .iter()
        .filter_map(|mark| message.find(mark))
        .min();
    without_hints(&message[..end.unwrap_or(message.len())]).to_owned()
}

/// The message of an error without the code and the suggestion that Ruby may add.
fn without_hints(message: &str) -> &str {
    let is_mark = |line: &str| {
        line.trim_start_matches(' ')
            .trim_end_matches('^')
            .is_empty()
    };
    let message = match message.split_once("\nDid you mean?") {
        Some((words, _)) => words,
        None => message,
    };
    match message.split_once("\n\n") {
        Some((words, code)) if code.contains('^') && code.lines().last().is_some_and(is_mark) => {
            words
        }
        _ => message,
    }
}

/// A number before ` seconds` says nothing.
fn without_durations(message: &str) -> String {
    let mut out = String::new();
    let mut rest = without_hints(message);
    while let Some(at) = rest.find(" seconds") {
        let (before, after) = rest.split_at(at);
        let is_number = |one: char| one.is_ascii_digit() || one == '.';
        out.push_str(before.trim_end_matches(is_number));
        out.push_str("N seconds");
        rest = &after[" seconds".len()..];
    }
    out.push_str(rest);
    out
}
