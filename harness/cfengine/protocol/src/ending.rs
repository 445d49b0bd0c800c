//! How sessions end, and which sessions are not ordinary.

use crate::phase;
use crate::release;
use crate::session::{Exchange, Process, Session};
use stickler_transcript::{Event, ExitCause};

/// Did all processes end by themselves and in time, after everything that was planned?
pub(crate) fn ended_by_itself(session: &Session) -> bool {
    session.complete
        && !session.processes.is_empty()
        && session.processes.iter().all(process_ended_by_itself)
}

/// Did this process end by itself, in time?
pub(crate) fn process_ended_by_itself(process: &Process) -> bool {
    !process.killed
        && !process.outlived
        && process
            .exit
            .is_some_and(|(_, cause)| cause != ExitCause::Lost)
}

/// Is this an ordinary session, as an agent would run it: no variant of a group, no trap, no change
/// from outside, no protection? Only there the author's declarations apply.
pub(crate) fn is_plain(session: &Session) -> bool {
    let case = session.case();
    let variant = case
        .groups
        .iter()
        .any(|membership| !membership.role.is_reference());
    let disturbed = session
        .transcript
        .events
        .iter()
        .any(|event| matches!(event, Event::Drifted { .. } | Event::Protected { .. }));
    let usual = session
        .headers()
        .all(|header| release::is_header(&header.sent));
    !variant
        && !disturbed
        && usual
        && case.traps.is_empty()
        && !session.refuses_writes()
        && !case.is_driven()
}

/// Did the process send an extra message before, so that this answer may belong to an earlier
/// request?
pub(crate) fn out_of_step(session: &Session, exchange: &Exchange) -> bool {
    let from = session.process(exchange).out_of_step;
    from.is_some_and(|from| from <= exchange.number)
}

/// Did requests about other promises come between the promise's validation and this evaluation?
/// PM306 judges whether they change anything.
pub(crate) fn has_company(session: &Session, exchange: &Exchange) -> bool {
    session
        .exchanges
        .iter()
        .rev()
        .filter(|other| other.process == exchange.process && other.number < exchange.number)
        .take_while(|other| other.phase != phase::VALIDATE || other.item != exchange.item)
        .any(|other| {
            matches!(other.phase, phase::VALIDATE | phase::EVALUATE) && other.item != exchange.item
        })
}
