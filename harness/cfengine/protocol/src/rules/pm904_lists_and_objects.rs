//! # The module answers `valid` or `invalid` to an unexpected list or object
//!
//! ## What it requires
//! JSON protocol: if an attribute has a list or an object where the promise type takes another
//! type, the validation answers `valid` or `invalid`.
//!
//! ## Why
//! A policy writer who passes a list or a container made a mistake that validation should
//! explain. A module that calls text methods on it crashes, and every later promise of the run
//! fails.
//!
//! ## How it is judged
//! - Judged: each text attribute of the examples as a list of texts, an empty list, an object
//!   and an empty object; each list as an object; each object as a list. `error`, an exit and
//!   a hang are findings.
//! - Not judged: whether the module accepts the value. If it does, PM405 judges the
//!   evaluation.
//! - Not judged: late answers, and answers with another result or none.
//!
//! ## Example
//! A module calls `path.startswith` on `["/a", "/b"]` and answers `error`.
//!
//! ## How to fix
//! Check the type in the validation, before you use the value, and answer `invalid`.
//! - Python: `isinstance(value, str)`. Ruby: `value.is_a?(String)`. Perl: `ref $value eq ""`.
//! - Node: `typeof value === "string"`. jq: `type == "string"`. Go:
//!   `text, ok := value.(string)`.
//! - CFEngine's Python library: `self.add_attribute("path", str)` does so.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence", "Results" and "JSON protocol".

use crate::narrower;
use crate::output::{in_time, unanswered};
use crate::partner::hangs;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_transcript::ExitCause;
use stickler_transcript::Variation;

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[Relation::BETWEEN, Relation::IDLE, Relation::FIELDS],
    check,
)];

/// The answer is `error`.
const ERROR: Variant = Variant::new("answers-error");
/// The process ends.
const EXITS: Variant = Variant::new("exits");
/// There is no answer in time.
const HANGS: Variant = Variant::new("hangs");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in &session.exchanges {
        if !exchange.owed || !narrower::is_mistyped(session, exchange) {
            continue;
        }
        let Some(promise) = session.item(exchange) else {
            continue;
        };
        let field = promise.field.as_deref().unwrap_or_default();
        let kind = match promise.variation {
            Some(Variation::List) => "a list",
            _ => "an object",
        };
        let broken = if in_time(exchange) {
            match exchange.result() {
                Some(b"valid" | b"invalid") => None,
                Some(b"error") => Some((ERROR, "is answered `error`".to_owned())),
                // Other rules judge missing and unknown results.
                _ => continue,
            }
        } else {
            let lost = crate::session::Ended::Exited(ExitCause::Lost);
            match unanswered(exchange).filter(|_| !exchange.late && exchange.ended != lost) {
                Some(what) if hangs(exchange) => Some((HANGS, what)),
                Some(what) => Some((EXITS, what)),
                None => continue,
            }
        };
        match broken {
            None => ledger.pass(exchange.number),
            Some((variant, what)) => {
                let message = format!("{kind} as `{field}` {what}");
                let finding = ledger
                    .finding(exchange.number, variant.says(message))
                    .expected("`invalid` with an error log, or `valid`")
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
        }
    }
}
