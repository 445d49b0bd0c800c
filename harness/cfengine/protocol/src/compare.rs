//! Compares exchanges and sessions of a group.

use crate::phase;
use crate::session::{Exchange, Session};
use crate::words::visible;
use std::collections::{BTreeMap, BTreeSet};
use stickler_judge::{Group, Role, Variant};
use stickler_reading::same_entry;
use stickler_transcript::{Entry, Key};

/// A result that differs from the partner's.
pub(crate) const OTHER_RESULT: Variant = Variant::new("other-result");
/// The same result, with other result classes.
pub(crate) const OTHER_CLASSES: Variant = Variant::new("other-classes");

/// The part of an answer that an agent uses: the result and the set of result classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedAnswer {
    /// The result; `None` if there was no answer, or the result was no text.
    pub result: Option<Vec<u8>>,
    /// The result classes.
    pub classes: BTreeSet<Vec<u8>>,
}

impl UsedAnswer {
    /// The outcome of an exchange.
    pub fn of(exchange: &Exchange) -> UsedAnswer {
        UsedAnswer {
            result: exchange.result().map(<[u8]>::to_vec),
            classes: exchange.classes().into_iter().collect(),
        }
    }

    /// The result, in words.
    pub fn words(&self) -> String {
        self.result.as_deref().map_or_else(
            || "no answer".to_owned(),
            |result| format!("`{}`", visible(result)),
        )
    }
}

/// Pairs of validations and of evaluations (baseline, variant) with the same key, if both were
/// sent.
pub fn pairs<'s>(
    baseline: &'s Session,
    variant: &'s Session,
) -> impl Iterator<Item = (&'s Exchange, &'s Exchange)> {
    variant
        .exchanges
        .iter()
        .filter(|exchange| matches!(exchange.phase, phase::VALIDATE | phase::EVALUATE))
        .filter(|exchange| !exchange.shifted)
        .filter_map(|exchange| Some((baseline.exchange(&exchange.key)?, exchange)))
}

/// How an exchange's outcome differs from its partner's, in words. `None` if it does not.
pub fn difference(baseline: &Exchange, variant: &Exchange) -> Option<String> {
    let (before, after) = (UsedAnswer::of(baseline), UsedAnswer::of(variant));
    if before.result != after.result {
        return Some(format!("{} instead of {}", after.words(), before.words()));
    }
    if before.classes != after.classes {
        return Some(format!(
            "result classes {} instead of {}",
            list(&after.classes),
            list(&before.classes)
        ));
    }
    None
}

/// The kind of defect when an outcome differs from its partner's.
pub(crate) fn difference_variant(baseline: &Exchange, variant: &Exchange) -> Variant {
    if baseline.result() == variant.result() {
        OTHER_CLASSES
    } else {
        OTHER_RESULT
    }
}

/// The expected outcome, in words, for an exchange whose outcome differs from its partner's.
pub fn expected(baseline: &Exchange, variant: &Exchange) -> String {
    let (before, after) = (UsedAnswer::of(baseline), UsedAnswer::of(variant));
    if before.result == after.result && before.classes != after.classes {
        return format!("result classes {}", list(&before.classes));
    }
    before.words()
}

fn list(classes: &BTreeSet<Vec<u8>>) -> String {
    let names: Vec<String> = classes.iter().map(|name| visible(name)).collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// Paths whose end state differs between sessions that did the same, so it is volatile (times,
/// random names). Compares the group's `baseline` with its `again`.
pub fn volatile(group: &Group<'_, Session>) -> BTreeSet<Vec<u8>> {
    let Some((_, baseline)) = group.baseline() else {
        return BTreeSet::new();
    };
    group
        .role(Role::Again)
        .flat_map(|(_, again)| differing_paths(baseline, again))
        .collect()
}

/// Keys of exchanges whose results differ between sessions that did the same; rules skip them.
pub fn unstable(group: &Group<'_, Session>) -> BTreeSet<Key> {
    let Some((_, baseline)) = group.baseline() else {
        return BTreeSet::new();
    };
    group
        .role(Role::Again)
        .flat_map(|(_, again)| pairs(baseline, again))
        .filter(|(one, other)| difference(one, other).is_some())
        .map(|(one, _)| one.key.clone())
        .collect()
}

/// Paths in the scratch directories whose type, content or link target differs at the end. Modes
/// and owners are not compared. None if a session changed more files than are recorded.
pub fn differing_paths(one: &Session, other: &Session) -> BTreeSet<Vec<u8>> {
    if one.is_truncated() || other.is_truncated() {
        return BTreeSet::new();
    }
    let (a, b) = (scratch_state(one), scratch_state(other));
    let paths: BTreeSet<&Vec<u8>> = a.keys().chain(b.keys()).collect();
    paths
        .into_iter()
        .filter(|path| !same_entry(a.get(*path), b.get(*path)))
        .cloned()
        .collect()
}

/// The end state of the scratch directories.
pub fn scratch_state(session: &Session) -> BTreeMap<Vec<u8>, Entry> {
    in_scratch(session, session.end_state())
}

/// The contents of the scratch directories right after an exchange.
pub fn scratch_state_after(session: &Session, exchange: &Exchange) -> BTreeMap<Vec<u8>, Entry> {
    in_scratch(session, session.state_after(exchange))
}

fn in_scratch(
    session: &Session,
    state: BTreeMap<&[u8], Option<&Entry>>,
) -> BTreeMap<Vec<u8>, Entry> {
    state
        .into_iter()
        .filter(|(path, _)| {
            session
                .case()
                .dirs
                .iter()
                .any(|dir| stickler_reading::within(path, dir))
        })
        .filter_map(|(path, entry)| Some((path.to_vec(), entry?.clone())))
        .collect()
}
