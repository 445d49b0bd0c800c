//! What calls of `CheckApply` come to.

use crate::phase;
use crate::session::{Call, Session};
use stickler_judge::Claim;
use stickler_transcript::Fate;

/// The word of descriptions for each fate.
pub const WORDS: &[(&str, Fate)] = &[
    ("changed", Fate::Changed),
    ("ok", Fate::Unchanged),
    ("error", Fate::Failed),
];

/// The word for a fate.
pub(crate) fn word(fate: Fate) -> &'static str {
    let known = WORDS.iter().find(|(_, known)| *known == fate);
    known.map_or("skipped", |(word, _)| word)
}

/// What a call that may change the state comes to. `None` for other calls, and for one that was not answered.
pub fn fate(call: &Call) -> Option<Fate> {
    match call.has("apply") {
        true => outcome(call),
        false => None,
    }
}

/// What a call of `CheckApply` comes to, with or without `apply`.
fn outcome(call: &Call) -> Option<Fate> {
    if call.phase != phase::CHECKAPPLY {
        return None;
    }
    if call.panic().is_some() {
        return Some(Fate::Failed);
    }
    match (call.returns(), call.error(), call.ok()) {
        (true, Some(_), _) => Some(Fate::Failed),
        (true, None, Some(true)) => Some(Fate::Unchanged),
        (true, None, Some(false)) => Some(Fate::Changed),
        _ => None,
    }
}

/// The claims of a session.
pub(crate) fn claims(session: &Session) -> Vec<Claim> {
    collected(session, fate)
}

/// The claims of a session, with those of calls that may change nothing.
pub(crate) fn forecasts(session: &Session) -> Vec<Claim> {
    collected(session, outcome)
}

fn collected(session: &Session, fate: impl Fn(&Call) -> Option<Fate>) -> Vec<Claim> {
    let claim = |call: &Call| {
        Some(Claim {
            exchange: call.number,
            key: call.key.clone(),
            item: call.item.clone()?,
            fate: fate(call)?,
        })
    };
    session.exchanges.iter().filter_map(claim).collect()
}
