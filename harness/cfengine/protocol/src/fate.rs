//! What a module claims with its results.

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
    let claim = |exchange: &Exchange| {
        Some(Claim {
            exchange: exchange.number,
            key: exchange.key.clone(),
            item: exchange.item.clone()?,
            fate: exchange.fate()?,
        })
    };
    session.exchanges.iter().filter_map(claim).collect()
}
