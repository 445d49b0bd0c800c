//! Where two runs part.

use crate::seen::{Change, Message, Seen, Status};
use std::fmt::{self, Display, Formatter};

/// A difference between the two sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs: a message, a resource, an event.
    pub what: String,
    /// What Stickler's runtime showed. `None` if nothing.
    pub ours: Option<String>,
    /// What Puppet showed. `None` if nothing.
    pub theirs: Option<String>,
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let side = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
        write!(
            f,
            "{}\n  stickler: {}\n  puppet:   {}",
            self.what,
            side(&self.ours),
            side(&self.theirs)
        )
    }
}

/// Compares two runs. Durations do not count.
pub fn of(ours: &Seen, theirs: &Seen) -> Vec<Difference> {
    let mut found = Vec::new();
    let own_error = ours.error.as_deref().map(first_words);
    let their_error = theirs.error.as_deref().map(first_words);
    if own_error != their_error {
        found.push(Difference {
            what: "why the catalog cannot be applied".to_owned(),
            ours: own_error,
            theirs: their_error,
        });
    }
    if ours.error.is_some() && theirs.error.is_some() {
        // What came before is of no use to anybody then.
        return found;
    }
    pairs(&ours.logs, &theirs.logs, "message", told, &mut found);
    for own in &ours.statuses {
        match theirs
            .statuses
            .iter()
            .find(|one| one.resource == own.resource)
        {
            Some(their) => statuses(own, their, &mut found),
            None => found.push(Difference {
                what: format!("the resource {}", own.resource),
                ours: Some(state(own)),
                theirs: None,
            }),
        }
    }
    for their in &theirs.statuses {
        if !ours
            .statuses
            .iter()
            .any(|one| one.resource == their.resource)
        {
            found.push(Difference {
                what: format!("the resource {}", their.resource),
                ours: None,
                theirs: Some(state(their)),
            });
        }
    }
    found
}

fn statuses(ours: &Status, theirs: &Status, found: &mut Vec<Difference>) {
    if state(ours) != state(theirs) {
        found.push(Difference {
            what: format!("the resource {}", ours.resource),
            ours: Some(state(ours)),
            theirs: Some(state(theirs)),
        });
    }
    let what = format!("event of {}", ours.resource);
    pairs(&ours.events, &theirs.events, &what, event, found);
}

/// Compares lists item by item.
fn pairs<T>(
    ours: &[T],
    theirs: &[T],
    what: &str,
    text: impl Fn(&T) -> String,
    found: &mut Vec<Difference>,
) {
    for index in 0..ours.len().max(theirs.len()) {
        let own = ours.get(index).map(&text);
        let their = theirs.get(index).map(&text);
        if own != their {
            found.push(Difference {
                what: format!("{what} {}", index + 1),
                ours: own,
                theirs: their,
            });
        }
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
