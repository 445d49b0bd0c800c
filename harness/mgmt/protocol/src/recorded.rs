//! Sessions that `stickler graph` recorded: no request says which example it is about, and the world outside goes on
//! while a graph is watched.

use crate::phase;
use crate::session::{Call, Session};
use serde_json::Value as Json;
use stickler_reading::Exchange;
use stickler_transcript::{Event, Facts};

/// The fact that names kinds whose author declares that each call has something to do.
const BUSY: &str = "busy";

/// The moment at which another graph takes the place of the first one.
pub const SWAP: &str = "swap";
/// The moment from which on a graph is watched until someone ends it.
pub const WATCH: &str = "watch";

/// What a recording says of these kinds: each of their calls has something to do, as their author declares.
pub fn busy(kinds: impl IntoIterator<Item = String>) -> Facts {
    let mut kinds: Vec<String> = kinds.into_iter().collect();
    kinds.sort();
    kinds.dedup();
    let mut facts = Facts::new();
    if !kinds.is_empty() {
        facts.insert(BUSY.to_owned(), Json::from(kinds));
    }
    facts
}

/// Does the author declare of the kind of a resource that each call has something to do? Only recordings say so.
pub(crate) fn is_busy(session: &Session, call: &Call) -> bool {
    let Some(Json::Array(kinds)) = session.case().facts.get(BUSY) else {
        return false;
    };
    let mut made = session.calls(phase::NEW);
    let made = made.find(|one| one.process == call.process && one.resource() == call.resource());
    let kind = made.and_then(|made| made.param("kind"));
    kind.is_some_and(|kind| kinds.iter().any(|busy| busy == kind))
}

/// May something outside have changed between two calls? In a recording, nobody knows once another graph has taken
/// over, or while a graph is watched.
pub(crate) fn may_have_changed(session: &Session, first: &Exchange, second: &Exchange) -> bool {
    if !session.case().is_driven() {
        return session.changed_between(first, second);
    }
    let mut between = false;
    for event in &session.transcript.events {
        match event {
            Event::Request(input) if input.exchange == first.number => between = true,
            Event::Request(input) if input.exchange == second.number => return false,
            Event::Marked { mark, .. } if between || &**mark == WATCH => return true,
            _ => {}
        }
    }
    false
}

/// Has `Watch` of a resource told in a recording that something has changed, between two of its calls?
pub(crate) fn is_told_of(session: &Session, first: &Call, second: &Call) -> bool {
    let mut between = session
        .exchanges
        .iter()
        .filter(|call| (first.number..=second.number).contains(&call.number));
    session.case().is_driven()
        && between.any(|call| {
            call.told.iter().any(|told| {
                ["started", "event"].contains(&told.method.as_str())
                    && told.text("resource").as_deref() == Some(second.resource())
            })
        })
}
