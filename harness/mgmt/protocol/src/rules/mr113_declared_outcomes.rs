//! # Examples have the outcomes that their author declares
//!
//! ## What it requires
//! Each example can be made and is accepted by `Validate`, and its calls have the outcomes in `expect`.
//! After the first call, what `creates`, `absent` and `verify` declare holds. `Validate` or `Init`
//! refuses each `[[invalid]]` one.
//!
//! ## Why
//! The author knows best what a resource is to do.
//!
//! ## How it is judged
//! - Judged: `Validate` and `CheckApply` of each example, and the files and commands that it declares, in
//!   the usual sessions; `Validate` and `Init` of what is declared invalid.
//! - Not judged: files and commands after a call that fails.
//!
//! ## Example
//! `expect = ["changed", "ok"]`, and the second call returns `(false, nil)`.
//!
//! ## How to fix
//! Correct the resource, or what the example says.
//!
//! ## Source
//! The examples in `stickler.toml`.

use crate::message::Answer;
use crate::phase;
use crate::reads::APPLIES;
use crate::session::Session;
use crate::visit;
use stickler_judge::{Check, Ledger, Relation, Variant, View as _};
use stickler_reading::looks;
use stickler_transcript::{Fate, Purpose};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(APPLIES, outcomes),
    Check::Session(&[Relation::INVALID, Relation::USUAL], refusals),
];

/// An example is refused.
const REFUSED: Variant = Variant::new("refused");
/// It cannot be made.
const UNMADE: Variant = Variant::new("cannot-be-made");
/// It has another outcome.
const OTHER: Variant = Variant::new("other-outcome");
/// What the author declares of files and commands does not hold.
const UNFOUND: Variant = Variant::new("other-state");
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
        if [phase::NEW, phase::SET].contains(&call.phase) {
            let why = match &call.answer {
                Some(Answer::Refused(_, why)) => Some(why.clone()),
                _ => call.panic(),
            };
            let broken = why.map(|why| {
                UNMADE.says(format!(
                    "the example cannot be made, so nothing tests it: {why}"
                ))
            });
            if broken.is_some() {
                ledger.check(call.number, call.provenance, broken);
            }
        }
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
        let does_nothing = fate == Fate::Unchanged && call.all_effects() == Some(&[]);
        let place = ledger.place(call.number);
        ledger.check_with(
            place,
            call.provenance,
            broken,
            |finding| match does_nothing {
                // A check may have seen what is to do.
                true => finding.follows("MR105"),
                false => finding,
            },
        );
    }
    declared(session, ledger);
}

/// Judges what the author declares about files and commands.
fn declared(session: &Session, ledger: &mut Ledger) {
    for look in looks(&session.transcript) {
        let mut calls = session.exchanges.iter();
        let Some(call) = calls.find(|call| call.key == *look.key) else {
            continue;
        };
        if !matches!(visit::fate(call), Some(Fate::Changed | Fate::Unchanged)) {
            continue;
        }
        let broken = look.broken(session.case());
        let broken = broken.map(|(_, what)| UNFOUND.says(format!("after `CheckApply`, {what}")));
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
