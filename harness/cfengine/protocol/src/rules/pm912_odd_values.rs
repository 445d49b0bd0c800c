//! # Blanks at the edges of a value arrive, and odd types do not end the module
//!
//! ## What it requires
//! Blanks at the edges of a value arrive with it; numbers, booleans, null and lone surrogates
//! instead of text do not end the module.
//!
//! ## Why
//! Modules that trim lines lose blanks. No current agent sends the other values, but other
//! programs may, and perhaps later agents.
//!
//! ## How it is judged
//! - Judged: each text value with two blanks before and after it, wherever the plain run shows
//!   the value (see PM910).
//! - Judged: each text value as a number, a boolean, null and with a lone surrogate. Any
//!   answer passes; only the exit of the process is a finding.
//! - Not judged: requests without an answer (PM902).
//!
//! ## Example
//! A module gets `{"text": null}`, and exits with a traceback.
//!
//! ## How to fix
//! Remove only the newline of a line, and check types in the validation: `invalid`.
//! - Python: `line.rstrip("\n")`, not `strip()`; `isinstance(value, str)`.
//! - Shell: `IFS= read -r line`. Perl: `chomp`. Java: no `trim`.
//! - Python, lone surrogates: `try: value.encode("utf-8")`, then `except UnicodeEncodeError`
//!
//! ## Source
//! CFEngine: Custom promise types, "Line based protocol". cf-agent sends numbers and booleans
//! of a policy as text.

use crate::carried;
use crate::narrower;
use crate::output::{in_time, unanswered};
use crate::phase;
use crate::session::{Ended, Session};
use stickler_judge::{Check, Group, Ledger, Level, Relation, Variant};
use stickler_transcript::ExitCause;
use stickler_transcript::Variation;

pub(super) const CHECKS: super::Checks = &[
    Check::Group(&[Relation::TEXT], edges),
    Check::Session(&[Relation::FIELDS, Relation::TEXT], scalars),
];

/// A number, a boolean or null ends the module.
const TYPE: Variant = Variant::new("exits-on-type");
/// A lone surrogate ends the module.
const SURROGATE: Variant = Variant::new("exits-on-surrogate");

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
        let Some(promise) = session.item(exchange) else {
            continue;
        };
        let (variant, kind) = match promise.variation {
            Some(Variation::Number) => (TYPE, "a number"),
            Some(Variation::Bool) => (TYPE, "a boolean"),
            Some(Variation::Null) => (TYPE, "null"),
            _ => (SURROGATE, "a lone surrogate"),
        };
        let field = promise.field.as_deref().unwrap_or_default();
        let how = unanswered(exchange).unwrap_or_default();
        let message = format!("{kind} as `{field}` {how}");
        let finding = ledger
            .finding(exchange.number, variant.says(message))
            .expected("any answer, also `invalid` or `error`")
            .at_most(Level::May);
        ledger.report(finding);
    }
}
