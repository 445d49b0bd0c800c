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
//! of a second process, in which the same promises are validated in another order.
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

use crate::ending::out_of_step;
use crate::partner::readable;
use crate::session::Session;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

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
