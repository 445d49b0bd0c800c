//! The evidence of a finding, line by line.

use serde::Serialize;
use stickler_reading::Exchange;
use stickler_reading::words::shown;
use stickler_transcript::{Case, Change, ChangeKind};

/// How many effects of an exchange are shown.
const MOST_EFFECTS: usize = 4;

/// The direction of a line in an excerpt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrow {
    /// From the harness to the subject.
    Sent,
    /// From the subject.
    Received,
    /// An effect on the system.
    Effect,
    /// Something that happened: an exit, a deadline.
    Happened,
}

/// One line of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExcerptLine {
    /// The number of the exchange.
    pub exchange: Option<usize>,
    /// Its direction.
    pub arrow: Arrow,
    /// The text, with control characters made visible.
    pub text: String,
    /// A part of `text` to underline: start and length in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<(usize, usize)>,
    /// A remark beside the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl ExcerptLine {
    /// A line about an exchange, without a mark.
    pub fn of(exchange: &Exchange, arrow: Arrow, text: String) -> ExcerptLine {
        ExcerptLine {
            exchange: Some(exchange.number),
            arrow,
            text,
            mark: None,
            note: None,
        }
    }
}

/// What an exchange changed, if that was observed. Where changes are expected, it is told that there are none.
pub fn effects(exchange: &Exchange, case: &Case, expected: bool) -> Vec<ExcerptLine> {
    let Some(changes) = &exchange.effects else {
        return Vec::new();
    };
    let line = |text| ExcerptLine::of(exchange, Arrow::Effect, text);
    if changes.is_empty() && expected {
        return vec![line("(no effect)".into())];
    }
    let mut lines: Vec<ExcerptLine> = changes
        .iter()
        .take(MOST_EFFECTS)
        .map(|change| {
            let path = shown(&change.path, case, 100);
            let modes = match change.kind {
                ChangeKind::Mode => modes(change),
                _ => String::new(),
            };
            line(match change.kind.words() {
                "" => path,
                words => format!("{path} ({words}{modes})"),
            })
        })
        .collect();
    let more = changes.len().saturating_sub(MOST_EFFECTS);
    let more = match (more, exchange.truncated) {
        (0, false) => return lines,
        (_, false) => format!("and {more} more"),
        (_, true) => format!("and more than {more} more, which are not compared"),
    };
    lines.push(line(more));
    lines
}

fn modes(change: &Change) -> String {
    match (&change.before, &change.after) {
        (Some(before), Some(after)) => format!(" {:04o} → {:04o}", before.mode, after.mode),
        _ => String::new(),
    }
}
