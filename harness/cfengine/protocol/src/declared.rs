//! What the author declared to hold after an evaluation, and what was found.

use crate::partner::readable;
use crate::session::{Exchange, Session};
use stickler_reading::Look;

/// The looks after evaluations that are `kept` or `repaired`, and these results. Other outcomes promise
/// nothing.
pub(crate) fn looks(
    session: &Session,
) -> impl Iterator<Item = (&Exchange, &'static str, Look<'_>)> {
    stickler_reading::looks(&session.transcript).filter_map(|look| {
        let exchange = session.exchange(look.key).filter(|one| readable(one))?;
        let mut results = ["kept", "repaired"].into_iter();
        let result = results.find(|result| exchange.is(result))?;
        Some((exchange, result, look))
    })
}
