//! What a module claims with its results.

use crate::logs;
use crate::phase;
use crate::session::{Exchange, Session};
use stickler_judge::Claim;
use stickler_transcript::Fate;

/// The results of an evaluation that descriptions may expect.
pub const WORDS: &[(&str, Fate)] = &[
    ("kept", Fate::Unchanged),
    ("repaired", Fate::Changed),
    ("not_kept", Fate::Failed),
];

impl Exchange {
    /// What the answer claims about the promise; nothing if it is valid, or if there is no such result.
    pub fn fate(&self) -> Option<Fate> {
        let result = self.result()?;
        match self.phase {
            phase::VALIDATE if result == b"invalid" => Some(Fate::Refused),
            phase::EVALUATE if result == b"error" => Some(Fate::Failed),
            phase::EVALUATE => {
                let mut words = WORDS.iter();
                let known = words.find(|(word, _)| word.as_bytes() == result);
                known.map(|(_, fate)| *fate)
            }
            _ => None,
        }
    }
}

/// The claims of a session.
pub(crate) fn claims(session: &Session) -> Vec<Claim> {
    collected(session, Exchange::fate)
}

/// The claims of a session in which evaluations may be dry.
pub(crate) fn forecasts(session: &Session) -> Vec<Claim> {
    collected(session, |exchange| {
        // A dry evaluation has no other result for what it would change. Only the levels of its log messages
        // tell that from a failure.
        let is_dry = exchange.phase == phase::EVALUATE && exchange.warns();
        let would_change =
            is_dry && exchange.is("not_kept") && !logs::has(exchange, &["critical", "error"]);
        match would_change {
            true => Some(Fate::Changed),
            false => exchange.fate(),
        }
    })
}

fn collected(session: &Session, fate: impl Fn(&Exchange) -> Option<Fate>) -> Vec<Claim> {
    let claim = |exchange: &Exchange| {
        Some(Claim {
            exchange: exchange.number,
            key: exchange.key.clone(),
            item: exchange.item.clone()?,
            fate: fate(exchange)?,
        })
    };
    session.exchanges.iter().filter_map(claim).collect()
}
