//! # Examples have the outcomes that their author declares
//!
//! ## What it requires
//! Each example is accepted by `Validate`, and its calls have the outcomes in `expect`. `Validate`
//! or `Init` refuses each `[[invalid]]` one.
//!
//! ## Why
//! The author knows best what a resource is to do.
//!
//! ## How it is judged
//! - Judged: `Validate` and `CheckApply` of each example, in the usual sessions; `Validate` and
//!   `Init` of what is declared invalid.
//!
//! ## Example
//! `expect = ["changed", "ok"]`, and the second call returns `(false, nil)`.
//!
//! ## How to fix
//! Correct the resource, or what `expect` says.
//!
//! ## Source
//! The examples in `stickler.toml`.

use crate::phase;
use crate::reads::APPLIES;
use crate::session::Session;
use crate::visit;
use stickler_judge::{Check, Ledger, Relation, Variant, View as _};
use stickler_transcript::Purpose;

pub(super) const CHECKS: super::Checks = &[
    Check::Session(APPLIES, outcomes),
    Check::Session(&[Relation::INVALID, Relation::USUAL], refusals),
];

/// An example is refused.
const REFUSED: Variant = Variant::new("refused");
/// It has another outcome.
const OTHER: Variant = Variant::new("other-outcome");
/// An invalid one is accepted.
const ACCEPTED: Variant = Variant::new("accepted");

fn outcomes(session: &Session, ledger: &mut Ledger) {
    // What is declared holds while nothing else happens: no change from outside, and no other resource before it.
    if !session.is_usual() || session.refuses_writes() {
        return;
    }
    for call in &session.exchanges {
        let Some(item) = session
            .item(call)
            .filter(|item| item.original && !item.invalid)
        else {
            continue;
        };
        if call.phase == phase::VALIDATE && call.key.is(Purpose::VALIDATE) && call.returns() {
            let broken = call
                .error()
                .map(|error| REFUSED.says(format!("`Validate` refuses the example: {error}")));
            ledger.check(call.number, call.provenance, broken);
        }
        let Some(turn) = call.key.turn_of(Purpose::EVALUATE) else {
            continue;
        };
        let wanted = item.expect.get(turn - 1).or(item.expect.last());
        let (Some(wanted), Some(fate)) = (wanted, visit::fate(call)) else {
            continue;
        };
        let word = visit::word(fate);
        let why = call.why_it_fails();
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        let broken = (word != wanted).then(|| {
            OTHER.says(format!(
                "call {turn} comes to `{word}`, and `expect` says `{wanted}`{why}"
            ))
        });
        ledger.check(call.number, call.provenance, broken);
    }
}

fn refusals(session: &Session, ledger: &mut Ledger) {
    let of_invalid = |phase| {
        let calls = session.calls(phase);
        calls.filter(|call| {
            session
                .item(call)
                .is_some_and(|item| item.invalid && item.original)
        })
    };
    for call in of_invalid(phase::VALIDATE) {
        if call.error().is_some() {
            ledger.pass(call.number);
            continue;
        }
        let Some(init) = of_invalid(phase::INIT).find(|init| init.item == call.item) else {
            continue;
        };
        let refused = init.error().is_some();
        let broken = (call.returns() && !refused).then(|| {
            ACCEPTED.says("neither `Validate` nor `Init` refuses what is declared invalid")
        });
        ledger.check(call.number, call.provenance, broken);
    }
}
