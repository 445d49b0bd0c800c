//! Which effects count, and how much.

use crate::session::Exchange;
use crate::wire::Value;
use std::collections::BTreeMap;
use stickler_reading::within;
use stickler_transcript::{Case, Change, ChangeKind, Entry, Purpose};

/// How serious an effect is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// At a path that nothing in the promise names: `should`.
    Elsewhere,
    /// In a scratch directory, or at a path that comes from the promiser or an
    /// attribute: `must`.
    Promised,
}

/// Weighs an effect of an exchange.
pub fn weigh(change: &Change, case: &Case, exchange: &Exchange) -> Weight {
    let path = &change.path[..];
    let promised = case.dirs.iter().any(|dir| within(path, dir))
        || exchange.request.as_ref().is_some_and(|request| {
            request
                .promiser
                .as_deref()
                .is_some_and(|text| names(text, path))
                || request
                    .attributes
                    .iter()
                    .flatten()
                    .any(|(_, value)| value_names(value, path))
        });
    if promised {
        Weight::Promised
    } else {
        Weight::Elsewhere
    }
}

fn names(text: &[u8], path: &[u8]) -> bool {
    // "/" names nothing in particular.
    text.starts_with(b"/") && text.len() > 1 && within(path, text)
}

fn value_names(value: &Value, path: &[u8]) -> bool {
    match value {
        Value::Text(text) => names(text, path),
        Value::List(items) => items.iter().any(|item| value_names(item, path)),
        Value::Object(members) => members.iter().any(|(_, value)| value_names(value, path)),
        _ => false,
    }
}

/// Is this the first evaluation after a failure, in which things work again?
pub(crate) fn comes_after_failure(exchange: &Exchange) -> bool {
    exchange.key.is(Purpose::AFTER)
}

/// The results of an exchange's effects at paths that its promise is about.
pub(crate) fn effects_of<'e>(
    exchange: &'e Exchange,
    case: &Case,
) -> BTreeMap<&'e [u8], Option<&'e Entry>> {
    exchange
        .effects
        .iter()
        .flatten()
        // Rules about `kept` judge files that are rewritten with the same content.
        .filter(|change| change.kind != ChangeKind::Rewritten)
        .filter(|change| weigh(change, case, exchange) == Weight::Promised)
        .map(|change| (&change.path[..], change.after.as_ref()))
        .collect()
}
