//! What the host held before a resource began and after it ended.

use crate::phase;
use crate::session::{Call, Session};
use stickler_json::Json;

/// What is counted, in one and in several.
const COUNTED: [(&str, &str, &str); 3] = [
    ("goroutines", "one goroutine", "goroutines"),
    ("descriptors", "one descriptor", "descriptors"),
    ("children", "one child process", "child processes"),
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
    let mut others = session.calls(phase::INIT).filter(own);
    if others.any(|call| between.contains(&call.number) && call.number != init.number) {
        return None;
    }
    more(before, after).map(|more| format!("{more} more than before `Init`"))
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

/// What there is more of at a later count, in words.
pub(crate) fn more(before: &Call, after: &Call) -> Option<String> {
    COUNTED.iter().find_map(|(name, one, several)| {
        let more = number(after, name)?.checked_sub(number(before, name)?)?;
        match more {
            0 => None,
            1 => Some((*one).to_owned()),
            more => Some(format!("{more} {several}")),
        }
    })
}

fn number(call: &Call, name: &str) -> Option<u64> {
    match call.answer.as_ref()?.member(name)? {
        Json::Number(number) => number.parse().ok(),
        _ => None,
    }
}
