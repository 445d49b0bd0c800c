//! # A promise with an unknown attribute is `invalid`
//!
//! ## What it requires
//! The validation rejects a promise with an attribute that the promise type does not know.
//!
//! ## Why
//! Only the module can notice a misspelled attribute: the agent passes on all of them. If the
//! module ignores it, the promise is kept and does not do what its writer wants.
//!
//! ## How it is judged
//! - Judged: the examples with one extra attribute. Its name is random, similar to a real one,
//!   or one that answers (`result`) or objects (`constructor`) have.
//! - Lowered to may: names such as `.*` or `[a`, which patterns match and no policy can hold.
//! - Not judged: anything, if the configuration has `open_attributes = true`.
//! - Lowered to may: an attribute that only examples of the module's other promise types have.
//!
//! ## Example
//! ```text
//! → {"operation": "validate_promise", "attributes": {"mesage": "hello"}, …}
//! ← {"operation": "validate_promise", "result": "valid"}
//! ```
//!
//! ## How to fix
//! Compare each name with a list, and answer `invalid`. Ignore `comment` and `handle`, which
//! cf-agent passes on. If any name is fine, set `open_attributes = true`.
//! - Python: `unknown = attributes.keys() - KNOWN`. Shell: `attribute_*) unknown=yes ;;` as
//!   the last case.
//! - Node: `new Set(["message"])`, not `name in object`.
//! - CFEngine's Python library: declare each with `self.add_attribute("message", str)`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use crate::output::in_time;
use crate::phase;
use crate::session::Session;
use crate::words::visible;
use stickler_judge::{Check, Ledger, Level, Relation, Variant, Variation};

pub(super) const CHECKS: super::Checks =
    &[Check::Session(&[Relation::ALONE, Relation::FIELDS], check)];

/// An unknown attribute is `valid`.
const ACCEPTED: Variant = Variant::new("accepted");
/// Neither `valid` nor `invalid`.
const OTHER_RESULT: Variant = Variant::new("other-result");
/// An attribute of another promise type is not `invalid`.
const OTHER_TYPE: Variant = Variant::new("other-type");

fn check(session: &Session, ledger: &mut Ledger) {
    if session.facts.open_attributes {
        return;
    }
    for exchange in &session.exchanges {
        let unknown = session.item(exchange).filter(|promise| {
            matches!(
                promise.variation,
                Some(Variation::Unknown | Variation::OtherType)
            )
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
        let is_valid = result == b"valid";
        let field = visible(promise.field.as_deref().unwrap_or_default().as_bytes());
        let result = visible(result);
        let is_other_types = promise.variation == Some(Variation::OtherType);
        let (variant, what, expected, most) = if is_other_types {
            (
                OTHER_TYPE,
                "with the attribute `{field}` of another promise type",
                "`invalid`, or an example of this promise type with the attribute",
                Level::May,
            )
        } else {
            (
                if is_valid { ACCEPTED } else { OTHER_RESULT },
                "with the unknown attribute `{field}`",
                "`invalid`, or `open_attributes = true` in the configuration",
                Level::Should,
            )
        };
        let what = what.replace("{field}", &field);
        let finding = ledger
            .finding(exchange.number, variant.says(format!("`{result}` {what}")))
            .expected(expected)
            .at_most(most)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
