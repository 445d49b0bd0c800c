//! # The same validation has the same result
//!
//! ## What it requires
//! A validation that is asked again, word for word, has the result that it had.
//!
//! ## Why
//! Validation looks at the promise, not at the machine: its promiser, the names,
//! types and values of its attributes. A result that changes with time, or with
//! what was asked before, makes a policy valid on some runs only.
//!
//! ## How it is judged
//! Where one session holds the same request for validation twice, the results are
//! compared, whatever stands between the two but changes from outside. So are those
//! of a second process, in which the same promises are validated in another order. Besides,
//! each example that has a setup is validated without it: what is `valid` there as a promise is
//! so before the machine is ready for it. That is a should.
//!
//! ## Example
//! A module remembers the promisers that it has seen and calls the second request
//! for one a duplicate, hence `invalid`. (cf-agent asks for validation before
//! each evaluation.) Or it calls a value `invalid` where an earlier promise had
//! another one.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" and "Results"
//! (`valid`: no problems with the data or data types).

use stickler_judge::{Relation, Role};
use crate::ending::out_of_step;
use crate::partner::{at, readable};
use crate::session::Session;
use crate::words::{cut, visible};
use stickler_judge::{Check, Group, Ledger, Level};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(check),
    Check::Group(&[Relation::Bare], without_setup),
];

/// What is validated where the setup has laid out nothing.
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
                    format!("without what its setup lays out, the validation is `{result}`"),
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
        let first = validations
            .get(..index)
            .unwrap_or_default()
            .iter()
            .find(|first| first.sent == second.sent);
        let Some(first) = first else {
            continue;
        };
        if first.result() == second.result() {
            ledger.pass(second.number);
            continue;
        }
        if session.changed_between(first, second) {
            continue;
        }
        let words = |result: Option<&[u8]>| cut(&visible(result.unwrap_or_default()), 40);
        let (again, at_first) = if first.process == second.process {
            ("asked again", "at first")
        } else {
            ("after other validations", "in another order of them")
        };
        let also = ledger.place(first.number);
        let finding = ledger
            .finding(
                second.number,
                format!(
                    "{again}, the validation is `{}`, {at_first} it was `{}`",
                    words(second.result()),
                    words(first.result())
                ),
            )
            .expected(words(first.result()))
            .graded(second.provenance)
            .also(also);
        ledger.report(finding);
    }
}
