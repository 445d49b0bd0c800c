//! What the host held before a resource began and after it ended.

use crate::message::text;
use crate::phase;
use crate::session::{Call, Session};
use stickler_json::Json;

const GOROUTINES: &str = "goroutines";
pub(crate) const DESCRIPTORS: &str = "descriptors";
pub(crate) const CHILDREN: &str = "children";

/// What is counted, in one and in several.
const COUNTED: [(&str, &str, &str); 3] = [
    (GOROUTINES, "one goroutine", "goroutines"),
    (DESCRIPTORS, "one descriptor", "descriptors"),
    (CHILDREN, "one child process", "child processes"),
];

/// What a resource left behind when it was cleaned up, in words. `None` if that was not counted, or if another one
/// ran in between.
pub(crate) fn left(session: &Session, cleanup: &Call) -> Option<String> {
    let own = |call: &&Call| call.process == cleanup.process;
    let init = session
        .calls(phase::INIT)
        .filter(own)
        .filter(|call| call.number < cleanup.number)
        .last()
        .filter(|call| call.resource() == cleanup.resource())?;
    let (before, after) = around(session, init, cleanup)?;
    let between = before.number..after.number;
    // What other methods leave is another rule's.
    let others = [phase::INIT, phase::WATCH, phase::CHECKAPPLY].into_iter();
    let mut others = others.flat_map(|phase| session.calls(phase)).filter(own);
    if others.any(|call| between.contains(&call.number) && call.number != init.number) {
        return None;
    }
    let more = more(before, after, MayStay::Nothing)?;
    Some(format!(
        "{} more than before `Init`{}",
        more.words, more.origin
    ))
}

/// What may stay between two counts.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum MayStay {
    /// Nothing.
    Nothing,
    /// Programs that `CheckApply` has started, and what waits for them.
    Programs,
}

/// What may stay: the work of `CheckApply` may be a program that goes on.
pub(crate) fn may_stay(session: &Session, before: &Call, after: &Call) -> MayStay {
    let mut applied = session.calls(phase::CHECKAPPLY);
    match applied.any(|call| (before.number..after.number).contains(&call.number)) {
        true => MayStay::Programs,
        false => MayStay::Nothing,
    }
}

/// The last count of a host before a call, and the first one after another call.
pub(crate) fn around<'s>(
    session: &'s Session,
    first: &Call,
    last: &Call,
) -> Option<(&'s Call, &'s Call)> {
    let counts = || {
        let all = session.calls(phase::COUNTS);
        all.filter(|call| call.process == last.process)
    };
    let before = counts()
        .take_while(|call| call.number < first.number)
        .last()?;
    let after = counts().find(|call| call.number > last.number)?;
    Some((before, after))
}

/// What there is more of at a later count.
pub(crate) struct More {
    /// Which number.
    pub(crate) name: &'static str,
    /// How much, in words.
    pub(crate) words: String,
    /// Where it was started, in words, if that is known.
    pub(crate) origin: String,
    /// The same, by function and line.
    places: Vec<(String, String)>,
}

impl More {
    /// Does another pair of counts show the same?
    pub(crate) fn is_like(&self, other: &More) -> bool {
        self.name == other.name
            && (self.places.is_empty()
                || self.places.iter().all(|place| other.places.contains(place)))
    }
}

/// What there is more of at a later count.
pub(crate) fn more(before: &Call, after: &Call, may_stay: MayStay) -> Option<More> {
    all_more(before, after, may_stay).into_iter().next()
}

/// All that there is more of at a later count.
pub(crate) fn all_more(before: &Call, after: &Call, may_stay: MayStay) -> Vec<More> {
    let more = |(name, one, several): &(&'static str, &str, &str)| {
        let more = number(after, name)?.checked_sub(number(before, name)?)?;
        let children = || {
            let before = number(before, CHILDREN)?;
            number(after, CHILDREN)?.checked_sub(before)
        };
        let (more, started) = match *name {
            GOROUTINES => (more, started_between(before, after, may_stay)),
            CHILDREN if may_stay == MayStay::Programs => return None,
            // What waits for a program may hold a descriptor of it.
            DESCRIPTORS if may_stay == MayStay::Programs => {
                (more.saturating_sub(children().unwrap_or(0)), None)
            }
            _ => (more, None),
        };
        let more = match &started {
            Some(started) => more.min(started.len() as u64),
            None => more,
        };
        let words = match more {
            0 => return None,
            1 => (*one).to_owned(),
            more => format!("{more} {several}"),
        };
        let places = started.unwrap_or_default();
        let origin = places.first().map_or_else(String::new, |(by, at)| {
            format!(", started by `{by}` at {at}")
        });
        Some(More {
            name,
            words,
            origin,
            places,
        })
    };
    COUNTED.iter().filter_map(more).collect()
}

/// The goroutines that are there at a later count alone, by function and line. `None` if that was not told.
fn started_between(
    before: &Call,
    after: &Call,
    may_stay: MayStay,
) -> Option<Vec<(String, String)>> {
    let mut known = started(before)?;
    let mut new = Vec::new();
    for (place, waits) in started(after)? {
        match known.iter().position(|(one, _)| *one == place) {
            Some(at) => {
                known.swap_remove(at);
            }
            None if waits && may_stay == MayStay::Programs => {}
            None => new.push(place),
        }
    }
    Some(new)
}

/// The goroutines at a count, each with whether it waits for a program.
fn started(count: &Call) -> Option<Vec<((String, String), bool)>> {
    let listed = count.answer.as_ref()?.member("started")?.as_array()?;
    let read = |one: &Json| {
        let place = (one.get("by").and_then(text)?, one.get("at").and_then(text)?);
        Some((place, one.get("waits") == Some(&Json::Bool(true))))
    };
    Some(listed.iter().filter_map(read).collect())
}

fn number(call: &Call, name: &str) -> Option<u64> {
    match call.answer.as_ref()?.member(name)? {
        Json::Number(number) => number.parse().ok(),
        _ => None,
    }
}
