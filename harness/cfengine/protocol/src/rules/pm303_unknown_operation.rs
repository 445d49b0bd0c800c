//! # The module answers an unknown operation with `error`
//!
//! ## What it requires
//! The module answers a request with an unknown `operation` with result `error`, and keeps
//! serving.
//!
//! ## Why
//! Agents learn new operations. A module that answers `error` works with them; one that exits,
//! stays silent or runs another operation does not.
//!
//! ## How it is judged
//! - Judged: a request with an operation that no agent has, followed by ordinary requests. A
//!   missing answer counts if the module ends or answers the next request.
//! - Not judged: a module that exits at the end of input.
//!
//! ## Example
//! ```text
//! → {"operation": "describe_promise", …}
//! ← {"operation": "describe_promise", "result": "kept"}
//! ```
//!
//! ## How to fix
//! End the choice of operations with a default: a critical log, result `error`, next request.
//! - Shell:
//!   `*) printf 'log_critical=Unknown operation\noperation=%s\nresult=error\n\n' "$operation" ;;`
//! - Python: `handlers.get(request["operation"], unknown)(request)`
//! - CFEngine's Python library exits here (`ProtocolError`); a module that uses it can waive
//!   this rule.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" (`error`: an unexpected error in the module or
//! protocol). The specification does not define this case, so the rule is advice.

use crate::compare::OTHER_RESULT;
use crate::ending::process_ended_by_itself;
use crate::output::unanswered_variant;
use crate::partner::{graded, hangs, unanswered};
use crate::relation;
use crate::session::{Exchange, Session};
use crate::wire::header::Protocol;
use crate::wire::{Operation, Request};
use crate::words::{cut, visible};
use stickler_judge::{Check, Defect, Ledger, Variant};
use stickler_transcript::Phase;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::BROKEN], check)];

/// No answer, and the module serves the next request.
const IGNORED: Variant = Variant::new("ignored");
/// An answer, and then the module ends.
const EXITS_LATER: Variant = Variant::new("exits-later");

fn check(session: &Session, ledger: &mut Ledger) {
    let unknown = session
        .exchanges
        .iter()
        .filter(|exchange| exchange.phase == Phase::OTHER && is_unknown(session, exchange));
    for exchange in unknown {
        let Some(wrong) = judge(session, exchange) else {
            continue;
        };
        match wrong {
            Ok(()) => ledger.pass(exchange.number),
            Err(defect) => {
                let finding = ledger
                    .finding(exchange.number, defect)
                    .expected("result error, and the module keeps running");
                ledger.report(graded(finding, exchange));
            }
        }
    }
}

fn is_unknown(session: &Session, exchange: &Exchange) -> bool {
    let protocol = session.protocol(exchange).unwrap_or(Protocol::Line);
    Request::parse(&exchange.sent, protocol)
        .is_some_and(|request| matches!(request.operation, Operation::Other(_)))
}

/// What is wrong, `Ok` if nothing is, `None` if that cannot be decided.
fn judge(session: &Session, exchange: &Exchange) -> Option<Result<(), Defect>> {
    let next = session
        .exchanges
        .iter()
        .find(|other| other.process == exchange.process && other.number > exchange.number);
    let process = session.process(exchange);
    // At the end of input a module may end at any time.
    let closed = match (process.input_closed_at, process.exit) {
        (Some(closed), Some((ended, _))) => closed <= ended,
        (closed, _) => closed.is_some(),
    };
    if !exchange.owed && exchange.message.is_none() && closed && session.is_last(exchange) {
        return None;
    }
    if let Some(why) = unanswered(exchange) {
        let message = format!("an unknown operation gets {why}");
        return Some(Err(unanswered_variant(exchange).says(message)));
    }
    if exchange.message.is_none() {
        // No answer was owed. A missing answer is certain only if the module answers
        // the next request.
        let next = next.filter(|next| next.owed && next.result().is_some())?;
        let own = next.response.as_ref()?.operation.text()
            == next
                .request
                .as_ref()
                .map(|request| request.operation.as_bytes());
        return own.then(|| Err(IGNORED.says("an unknown operation gets no answer")));
    }
    let result = exchange.result()?;
    if result != b"error" {
        return Some(Err(OTHER_RESULT.says(format!(
            "an unknown operation is answered `{}`",
            cut(&visible(result), 60)
        ))));
    }
    let died = match next {
        Some(next) => next.owed && unanswered(next).is_some() && !hangs(next),
        // The module ended before the next message could be sent.
        None => !session.complete && !closed && process_ended_by_itself(process),
    };
    Some(if died {
        Err(EXITS_LATER.says("the module answers an unknown operation, but then ends"))
    } else {
        Ok(())
    })
}
