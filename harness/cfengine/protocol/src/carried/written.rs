//! What an evaluation writes, creates or links, as a carrier of values.

use super::forms::{holds, shows};
use super::{Changed, Channel, Seen, Varied, changed_text, is_mark};
use crate::session::Exchange;
use crate::words::{contains, has_word};
use stickler_transcript::{Change, ChangeKind, FileType};

/// What an evaluation wrote, created or linked.
pub(super) fn written<'e>(
    channel: Channel,
    plain: &'e Exchange,
    exchange: &'e Exchange,
    value: &Changed<'_>,
) -> Option<Seen<'e>> {
    let (before, after) = (plain.all_effects()?, exchange.all_effects()?);
    // A module may adapt a name to make it part of a path. A mark in a path may separate the path
    // from something else.
    let marked = || {
        let new = |byte: &u8| is_mark(*byte) && !value.base.contains(byte);
        value.sent.iter().any(new)
    };
    if matches!(channel, Channel::Path) && (!value.base.starts_with(b"/") || marked()) {
        return None;
    }
    // A module splits a list in text, and may join it in another order with what is already there.
    let listed = |pair: &[u8]| pair[0] == b',' && !pair[1].is_ascii_whitespace();
    if !matches!(channel, Channel::Path) && value.base.windows(2).any(listed) {
        return None;
    }
    // A text that a file contained before may be copied to another file, such as a backup.
    let held = before.iter().any(|change| {
        let entry = change.before.as_ref();
        let content = entry.and_then(|entry| entry.content.as_ref());
        content.is_some_and(|content| contains(content, value.base))
    });
    let shows_base = |text: &[u8]| match channel {
        Channel::File => shows(text, value.base),
        _ => contains(text, value.base),
    };
    let sources: Vec<&Change> = before
        .iter()
        .filter(|change| !held && concerns(change, channel))
        .filter(|change| new_text(change, channel).is_some_and(shows_base))
        .collect();
    if sources.is_empty() {
        return None;
    }
    let mut texts = Vec::new();
    for change in after.iter().filter(|change| concerns(change, channel)) {
        // A file whose content is too large to record may contain it.
        let text = new_text(change, channel)?;
        if shows_sent(channel, text, value.sent) {
            return Some(Seen::Carried);
        }
        texts.push((change, text));
    }
    let written = || texts.iter().map(|(_, text)| *text);
    if !matches!(channel, Channel::Path) && hold_parts(written, value.sent) {
        return Some(Seen::Parts);
    }
    let instead: Vec<_> = sources
        .into_iter()
        .filter_map(|source| {
            let mut texts = texts.iter();
            let (_, instead) = texts
                .find(|(change, _)| is_expected(change, channel, source, plain, exchange, value))?;
            Some((Some(source), *instead))
        })
        .collect();
    (!instead.is_empty()).then_some(Seen::Instead(instead))
}

/// Does what showed the author's value follow the field: did this variant's value arrive there?
pub(super) fn follows(channel: Channel, source: &Change, variant: &Varied<'_>) -> bool {
    let Varied {
        plain,
        exchange,
        value,
        ..
    } = variant;
    let shown = |change: &Change| {
        new_text(change, channel).is_some_and(|text| shows_sent(channel, text, value.sent))
    };
    let mut changes = exchange.effects.iter().flatten();
    !shown(source)
        && changes.any(|change| {
            concerns(change, channel)
                && is_expected(change, channel, source, plain, exchange, value)
                && shown(change)
        })
}

/// Does a text contain the value? A module may write a path unchanged or normalized.
fn shows_sent(channel: Channel, text: &[u8], sent: &[u8]) -> bool {
    let is_path = matches!(channel, Channel::Path | Channel::Link);
    holds(text, sent) || is_path && holds(text, &tidy_path(sent))
}

/// Does each comma-separated part appear in one of the texts? A module may sort a list in text,
/// change its blanks, or use each part separately.
fn hold_parts<'t, I: Iterator<Item = &'t [u8]>>(texts: impl Fn() -> I, value: &[u8]) -> bool {
    let mut parts = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    // A list has no blanks at its ends.
    value.contains(&b',')
        && value.trim_ascii() == value
        && parts.all(|part| part.is_empty() || texts().any(|text| has_word(text, part)))
}

/// Must the value appear in this change?
fn is_expected(
    change: &Change,
    channel: Channel,
    source: &Change,
    plain: &Exchange,
    exchange: &Exchange,
    value: &Changed<'_>,
) -> bool {
    match channel {
        Channel::Path => {
            let slash = value.base.iter().rposition(|byte| *byte == b'/');
            slash.is_some_and(|slash| change.path.starts_with(&value.base[..=slash]))
        }
        // Only the same file counts, unless the promiser changed.
        _ => change.path == source.path || changed_text(plain, exchange, "promiser").is_some(),
    }
}

fn concerns(change: &Change, channel: Channel) -> bool {
    use ChangeKind::{Changed, Created, Link};
    let kind = change.after.as_ref().map(|entry| entry.kind);
    match channel {
        Channel::File => kind == Some(FileType::File) && matches!(change.kind, Created | Changed),
        Channel::Path => change.kind == Created,
        Channel::Link => {
            kind == Some(FileType::Link) && matches!(change.kind, Created | Changed | Link)
        }
        Channel::Echo | Channel::Log => false,
    }
}

/// The path, the content or the link target. `None` if the content was not recorded.
fn new_text(change: &Change, channel: Channel) -> Option<&[u8]> {
    match channel {
        Channel::Path => Some(&change.path),
        _ => Some(change.after.as_ref()?.content.as_ref()?),
    }
}

/// A path without doubled or trailing slashes.
fn tidy_path(path: &[u8]) -> Vec<u8> {
    let mut tidy = Vec::with_capacity(path.len());
    for byte in path {
        if *byte != b'/' || tidy.last() != Some(&b'/') {
            tidy.push(*byte);
        }
    }
    if tidy.len() > 1 && tidy.last() == Some(&b'/') {
        tidy.pop();
    }
    tidy
}
