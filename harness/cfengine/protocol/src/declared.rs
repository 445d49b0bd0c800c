//! What the author declared to hold after an evaluation, and what was found.

use crate::partner::readable;
use crate::session::{Exchange, Session};
use stickler_transcript::{Declared, Entry, Event};

/// One look after an evaluation that is `kept` or `repaired`.
pub(crate) struct Look<'s> {
    /// The evaluation.
    pub exchange: &'s Exchange,
    /// Its result.
    pub result: &'static str,
    /// What the author declared.
    pub declared: &'s Declared,
    /// What is at the declared path.
    pub found: Option<&'s Entry>,
    /// Why the declared command did not succeed.
    pub failed: Option<&'s str>,
}

/// All looks. Other outcomes promise nothing.
pub(crate) fn looks(session: &Session) -> impl Iterator<Item = Look<'_>> {
    session.transcript.events.iter().filter_map(|event| {
        let Event::Verified {
            key,
            declared,
            found,
            failed,
            ..
        } = event
        else {
            return None;
        };
        let exchange = session.exchange(key).filter(|one| readable(one))?;
        let result = ["kept", "repaired"]
            .into_iter()
            .find(|result| exchange.is(result))?;
        Some(Look {
            exchange,
            result,
            declared,
            found: found.as_deref(),
            failed: failed.as_deref(),
        })
    })
}
