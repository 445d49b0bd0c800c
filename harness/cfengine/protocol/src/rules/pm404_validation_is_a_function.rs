//! # The same validation has the same result
//!
//! ## What it requires
//! A validation that is repeated word for word has the same result each time.
//!
//! ## Why
//! Validation checks the promise, not the machine: its promiser and the names, types and
//! values of its attributes. Otherwise a policy is valid in some runs only.
//!
//! ## How it is judged
//! - Judged: identical validations in one session, whatever requests come between them. A
//!   second process validates the same promises in another order.
//! - Judged: each example that has a setup, validated without its setup.
//! - Not judged: different results, if a change from outside comes between the requests.
//! - Lowered to should: an example that is `valid` with its setup, but not without it.
//!
//! ## Example
//! A module answers `invalid` to the second request for a promiser, as a duplicate, although
//! cf-agent validates before each evaluation.
//!
//! ## How to fix
//! Decide from the request alone: the names, types and form of its values. Move each look at
//! the machine (files, users, network, the time) into the evaluation, and answer `not_kept`
//! there. Keep no list of earlier requests.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" and "Results" (`valid`: no
//! problems with the data or data types).

use crate::ending::out_of_step;
use crate::partner::{at, readable};
use crate::relation;
use crate::session::Session;
use crate::words::{cut, visible};
use stickler_judge::{Check, Group, Ledger, Level, Relation, Role, Variant};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(
        &[
            Relation::ALONE,
            Relation::BETWEEN,
            Relation::IDLE,
            relation::BROKEN,
            Relation::GROWTH,
        ],
        check,
    ),
    Check::Group(&[Relation::BARE], without_setup),
];

/// The machine's state changes the result.
const NEEDS_SETUP: Variant = Variant::new("needs-setup");
/// Another result in the same process.
const REPEATED: Variant = Variant::new("changes-when-repeated");
/// Another result in another process, after other validations.
const ORDER: Variant = Variant::new("depends-on-order");

/// Is an example `valid` without its setup, too?
fn without_setup(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((base_index, baseline)) = group.baseline() else {
        return;
    };
    for (_, index, variant) in group.variants().filter(|(role, ..)| **role != Role::Again) {
        for exchange in variant.validations().filter(|exchange| readable(exchange)) {
            let usual = baseline.exchange(&exchange.key);
            let Some(usual) = usual.filter(|usual| usual.is("valid")) else {
                continue;
            };
            if exchange.is("valid") {
                ledger.passes.push(at(index, exchange));
                continue;
            }
            let result = cut(&visible(exchange.result().unwrap_or_default()), 40);
            let finding = ledger
                .finding_at(
                    at(index, exchange),
                    NEEDS_SETUP.says(format!(
                        "without the example's setup, the validation is `{result}`"
                    )),
                )
                .expected("`valid`: validation looks at the promise, not at the machine")
                .quote(exchange.result().unwrap_or_default())
                .graded(exchange.provenance)
                .also(at(base_index, usual))
                .at_most(Level::Should);
            ledger.report(finding);
        }
    }
}

fn check(session: &Session, ledger: &mut Ledger) {
    let validations: Vec<_> = session
        .validations()
        .filter(|exchange| readable(exchange) && !out_of_step(session, exchange))
        .collect();
    for (index, second) in validations.iter().enumerate() {
        let earlier = validations.get(..index).unwrap_or_default();
        let mut same = earlier.iter().filter(|first| first.sent == second.sent);
        let other = same.clone().find(|first| {
            first.result() != second.result() && !session.changed_between(first, second)
        });
        let Some(first) = other else {
            if same.any(|first| first.result() == second.result()) {
                ledger.pass(second.number);
            }
            continue;
        };
        let words = |result: Option<&[u8]>| cut(&visible(result.unwrap_or_default()), 40);
        let (defect, again, at_first) = if first.process == second.process {
            (REPEATED, "asked again", "the first time")
        } else {
            (ORDER, "after other validations", "in another order")
        };
        let also = ledger.place(first.number);
        let finding = ledger
            .finding(
                second.number,
                defect.says(format!(
                    "{again}, the validation is `{}`; {at_first} it was `{}`",
                    words(second.result()),
                    words(first.result())
                )),
            )
            .expected(words(first.result()))
            .graded(second.provenance)
            .also(also);
        ledger.report(finding);
    }
}
