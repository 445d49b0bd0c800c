//! # After `repaired`, the same promise is `kept`
//!
//! ## What it requires
//! When an evaluation answers `repaired`, evaluating the same promise again,
//! with nothing changed in between, answers `kept`.
//!
//! ## Why
//! Agents run every few minutes. A promise that is repaired each time never
//! converges: it hides real changes in noise and fires handlers without end.
//!
//! ## How it is judged
//! Each example is evaluated several times in one session. The evaluation that
//! follows a `repaired` of the same promise, without a change from outside and
//! without requests about other promises since its validation, has to be `kept`. Where the
//! example's `expect` declares another outcome, that declaration counts (a promise that
//! runs a command each time says `expect = ["repaired"]`). It is evaluated where its file is
//! there already, too, with a last line that has no newline; where what it wrote is laid out in
//! another way (blanks, carriage returns, lines twice or with other values, nothing at all); where
//! a line that it takes away stands twice; and in another second. Sessions that an agent drove are
//! not judged: what else it does in between is not known.
//!
//! ## Example
//! A module compares the file's text with the wanted text plus a newline, and
//! so rewrites it on every run.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" (kept: satisfied already;
//! repaired: not satisfied before, but fixed now).

use crate::phase;
use crate::effects::comes_after_failure;
use crate::ending::has_company;
use crate::session::{Exchange, Session};
use stickler_judge::{Check, Ledger};
use stickler_transcript::{Driver};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    // What else an agent does in between is not seen.
    if session.case().driver != Driver::Suite {
        return;
    }
    let evaluations: Vec<_> = session
        .exchanges
        .iter()
        .filter(|exchange| exchange.phase == phase::EVALUATE && exchange.policy().is_none())
        .collect();
    for (index, first) in evaluations.iter().enumerate() {
        let Some(second) = evaluations[index + 1..]
            .iter()
            .find(|later| later.promise == first.promise)
        else {
            continue;
        };
        if !first.is("repaired") || declares_another(session, &evaluations, second) {
            continue;
        }
        // What failed the first time is made up for.
        if comes_after_failure(second) {
            continue;
        }
        // What other promises in between change is PM306's matter.
        if session.changed_between(first, second) || has_company(session, second) {
            continue;
        }
        // Any other result is PM402's matter.
        if !["kept", "repaired", "not_kept", "error"]
            .iter()
            .any(|known| second.is(known))
        {
            continue;
        }
        if second.is("kept") {
            ledger.pass(second.number);
        } else {
            let also = ledger.place(first.number);
            let finding = ledger
                .finding(
                    second.number,
                    format!(
                        "evaluated again after `repaired`, it is `{}`",
                        crate::words::visible(second.result().unwrap_or_default())
                    ),
                )
                .expected("kept")
                .graded(second.provenance)
                .also(also);
            ledger.report(finding);
        }
    }
}

/// The author declares for this evaluation an outcome other than `kept`.
fn declares_another(session: &Session, evaluations: &[&Exchange], second: &Exchange) -> bool {
    let expect = session
        .promise(second)
        .map_or(&[][..], |promise| &promise.expect);
    let before = evaluations
        .iter()
        .filter(|other| other.promise == second.promise && other.number < second.number)
        .count();
    expect
        .get(before)
        .or(expect.last())
        .is_some_and(|outcome| outcome != "kept")
}
