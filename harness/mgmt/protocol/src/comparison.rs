//! Calls of `Cmp`, and what their sides are to each other.

use crate::phase;
use crate::resources::walk;
use crate::session::{Call, Session};
use std::collections::BTreeMap;

/// What two sides of a comparison are to each other, as the session has made them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sides {
    /// The same object.
    Same,
    /// Objects whose fields have the same values.
    Alike,
    /// Objects of one kind whose fields differ.
    Differ,
    /// Objects of two kinds.
    Kinds,
}

/// Visits all comparisons.
pub(crate) fn comparisons<'s>(session: &'s Session, mut visit: impl FnMut(&'s Call, Sides)) {
    let mut sides = BTreeMap::new();
    walk(session, |resources, call| {
        if call.phase != phase::CMP {
            return;
        }
        let both = (resources.of(call, "resource"), resources.of(call, "other"));
        let (Some(one), Some(other)) = both else {
            return;
        };
        let found = match () {
            () if call.param("other") == Some(call.resource()) => Sides::Same,
            () if one.kind != other.kind => Sides::Kinds,
            () if one.is_alike(other) => Sides::Alike,
            () => Sides::Differ,
        };
        sides.insert(call.number, found);
    });
    for call in session.calls(phase::CMP) {
        if let Some(sides) = sides.get(&call.number) {
            visit(call, *sides);
        }
    }
}

/// Is one side of a call a copy of the other?
pub(crate) fn is_copy(session: &Session, call: &Call) -> bool {
    let other = call.param("other").unwrap_or_default();
    let sides = [call.resource(), other];
    session.calls(phase::COPY).any(|copy| {
        copy.number < call.number
            && copy.process == call.process
            && sides.contains(&copy.resource())
            && copy.param("from").is_some_and(|from| sides.contains(&from))
    })
}
