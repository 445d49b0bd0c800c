//! Checks that a result is one of those that its phase allows.

use crate::ending::out_of_step;
use crate::phase;
use crate::session::Session;
use crate::wire::header::Protocol;
use crate::wire::response::{FieldState, Response};
use crate::words::{cut, visible};
use stickler_judge::{Ledger, Variant};
use stickler_transcript::Phase;

/// A result that the phase does not allow.
const UNKNOWN: Variant = Variant::new("unknown-result");
/// No result at all.
const MISSING: Variant = Variant::new("no-result");

/// Checks the results of all answers of a phase. PM206 judges JSON results that are missing or no
/// strings.
pub(crate) fn check(session: &Session, ledger: &mut Ledger, phase: Phase, allowed: &[&str]) {
    for exchange in session.answered(phase).filter(|exchange| exchange.owed) {
        let Some(response) = &exchange.response else {
            continue;
        };
        if out_of_step(session, exchange) || !is_readable(response) {
            continue;
        }
        let name = match phase {
            phase::VALIDATE => "validation",
            phase::EVALUATE => "evaluation",
            _ => "`terminate`",
        };
        let result = match response.result.state() {
            FieldState::Absent if response.protocol == Protocol::Json => continue,
            FieldState::Absent => None,
            _ => match response.result.text() {
                Some(text) => Some(text),
                None => continue,
            },
        };
        let defect = match result {
            Some(text) if allowed.iter().any(|known| known.as_bytes() == text) => {
                ledger.pass(exchange.number);
                continue;
            }
            Some(text) => UNKNOWN.says(format!("{name} is answered `{}`", cut(&visible(text), 60))),
            None => MISSING.says(format!("{name} is answered without `result`")),
        };
        let mut finding = ledger
            .finding(exchange.number, defect)
            .expected(allowed.join(", "))
            .graded(exchange.provenance);
        if let Some(text) = result {
            finding = finding.quote(text);
        }
        ledger.report(finding);
    }
}

/// Does the message contain an answer, and not just other output?
fn is_readable(response: &Response) -> bool {
    match response.protocol {
        Protocol::Json => response.json.as_ref().is_some_and(Result::is_ok),
        Protocol::Line => {
            !response.operation.is_absent() || !response.result.is_absent() || only_logs(response)
        }
    }
}

fn only_logs(response: &Response) -> bool {
    use crate::wire::response::LineKind;
    !response.logs.is_empty()
        && response
            .lines
            .iter()
            .all(|line| matches!(line.kind, LineKind::Log | LineKind::Empty))
}
