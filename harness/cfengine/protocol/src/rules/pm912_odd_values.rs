//! # Odd values arrive unchanged, or do no harm
//!
//! ## What it requires
//! Blanks at the edges of a value arrive with it. Numbers, booleans, null and
//! lone surrogates in place of text do not end the module.
//!
//! ## Why
//! Blanks at the edges are rarely meant, and easily lost where lines are
//! trimmed. The other values come from no agent of today, but from other
//! programs that speak the protocol, and perhaps from later agents.
//!
//! ## How it is judged
//! Each text value is sent with two blanks before it and behind it, and judged
//! where the plain run shows the value, as PM910 does. It is sent as a number,
//! a boolean and null as well; any answer will do. A request that is not
//! answered at all is PM902.
//!
//! ## Example
//! ```text
//! → {"operation": "validate_promise", "attributes": {"text": null}, …}
//! ← (the process ends with a traceback)
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Line based protocol" (anything after the
//! first `=` is the value). cf-agent 3.21.0 sends numbers and booleans of a
//! policy as text.

use stickler_transcript::Variation;
use stickler_judge::{Relation};
use crate::phase;
use crate::carried;
use crate::narrower;
use crate::output::{in_time, unanswered};
use crate::session::{Ended, Session};
use stickler_judge::{Check, Group, Ledger, Level};
use stickler_transcript::{ExitCause};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::Text], edges), Check::Session(scalars)];

fn edges(group: &Group<'_, Session>, ledger: &mut Ledger) {
    carried::judge(group, ledger, |value| value.kind == Some(Variation::Odd));
}

fn scalars(session: &Session, ledger: &mut Ledger) {
    for exchange in &session.exchanges {
        let asked = matches!(exchange.phase, phase::VALIDATE | phase::EVALUATE) && exchange.owed;
        if !asked || !narrower::is_other_scalar(session, exchange) {
            continue;
        }
        if in_time(exchange) {
            ledger.pass(exchange.number);
            continue;
        }
        if !matches!(exchange.ended, Ended::Exited(cause) if cause != ExitCause::Lost) {
            continue;
        }
        let Some(promise) = session.promise(exchange) else {
            continue;
        };
        let kind = match promise.variation {
            Some(Variation::Number) => "a number",
            Some(Variation::Bool) => "a boolean",
            Some(Variation::Null) => "null",
            _ => "a lone surrogate",
        };
        let field = promise.field.as_deref().unwrap_or_default();
        let how = unanswered(exchange).unwrap_or_default();
        let finding = ledger
            .finding(exchange.number, format!("{kind} as `{field}` {how}"))
            .expected("any answer, `invalid` or `error` too")
            .at_most(Level::May);
        ledger.report(finding);
    }
}
