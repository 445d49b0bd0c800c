//! # An attribute that the promise type does not have is `invalid`
//!
//! ## What it requires
//! A promise with an attribute that the promise type does not know is rejected
//! by validation.
//!
//! ## Why
//! Nobody else can notice a misspelled attribute: the agent passes all of them
//! on. When the module ignores it, the promise is kept and does not do what its
//! writer wanted.
//!
//! ## How it is judged
//! The author's examples are validated with one attribute more, whose name is
//! random, nearly that of another, or one that answers or objects have. `open_attributes = true` in
//! the configuration says that the promise type takes any attribute; the rule is then not exercised.
//! Where the module serves several types, an attribute that examples of the others have, and none of
//! this one, is advice: it may well be one of this type, too.
//!
//! ## Example
//! ```text
//! → {"operation": "validate_promise", "attributes": {"mesage": "hello"}, …}
//! ← {"operation": "validate_promise", "result": "valid"}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" (attribute names
//! are validated) and the example module in "Custom promise types using provided
//! libraries".

use stickler_judge::{Variation};
use crate::phase;
use crate::output::in_time;
use crate::session::Session;
use crate::words::visible;
use stickler_judge::{Check, Ledger, Level};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    if session.facts.open_attributes {
        return;
    }
    for exchange in &session.exchanges {
        let unknown = session.promise(exchange).filter(|promise| {
            matches!(promise.variation, Some(Variation::Unknown | Variation::OtherType))
        });
        let (Some(promise), phase::VALIDATE) = (unknown, exchange.phase) else {
            continue;
        };
        let Some(result) = exchange.result().filter(|_| in_time(exchange)) else {
            continue;
        };
        if result == b"invalid" {
            ledger.pass(exchange.number);
            continue;
        }
        let field = visible(promise.field.as_deref().unwrap_or_default().as_bytes());
        let result = visible(result);
        let is_other_types = promise.variation == Some(Variation::OtherType);
        let (what, expected, most) = if is_other_types {
            (
                "with the attribute `{field}` of another of its types",
                "`invalid`, or an example of this type that has it",
                Level::May,
            )
        } else {
            (
                "with the unknown attribute `{field}`",
                "`invalid`, or `open_attributes = true` in the configuration",
                Level::Should,
            )
        };
        let what = what.replace("{field}", &field);
        let finding = ledger
            .finding(exchange.number, format!("{what} the promise is `{result}`"))
            .expected(expected)
            .at_most(most)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
