//! What the harness's own disturbances leave behind: kills, and calls and commands that it makes
//! fail. The module is not to blame if it tidies up after them.

use crate::effects::comes_after_failure;
use crate::phase;
use crate::session::{Ended, Exchange, Session};
use stickler_transcript::Change;

/// Did the harness disturb this exchange?
fn is_disturbed(session: &Session, exchange: &Exchange) -> bool {
    let next = || {
        let mut later = session.exchanges.iter();
        later.find(|later| later.number > exchange.number && later.phase == phase::EVALUATE)
    };
    exchange.failed_write().is_some()
        || exchange.ended == Ended::Killed
        || exchange.phase == phase::EVALUATE && next().is_some_and(comes_after_failure)
}

/// Does this change take away what an earlier disturbed exchange left behind, so that the path is
/// again as it was before?
pub(crate) fn takes_away(session: &Session, exchange: &Exchange, change: &Change) -> bool {
    let mut earlier = session.exchanges.iter();
    earlier.any(|one| {
        one.number < exchange.number
            && is_disturbed(session, one)
            && session
                .observations
                .iter()
                .filter(|observation| observation.exchanges.contains(&one.number))
                .flat_map(|observation| &observation.changes)
                .any(|left| left.path == change.path && left.before == change.after)
    })
}

/// May a disturbance have hit a stand-in for a command while it ran? What it then leaves half done
/// is the author's, not the module's.
pub(crate) fn may_hit_stand_in(session: &Session) -> bool {
    let mut exchanges = session.exchanges.iter();
    exchanges.any(|exchange| match exchange.stopped_at() {
        Some(call) => call.stand_in,
        None => exchange.ended == Ended::Killed && has_stand_ins(session),
    })
}

/// Does the author replace commands by stand-ins?
pub(crate) fn has_stand_ins(session: &Session) -> bool {
    let mut plans = session.case().plan.iter();
    plans.any(|plan| !plan.stand_ins.is_empty())
}
