//! # `verify` notices that the target is gone, `facts` returns a hash
//!
//! ## What it requires
//! `verify` raises if the target no longer answers. `facts` returns a hash, and does not raise while the
//! target answers.
//!
//! ## Why
//! Callers that keep a connection open for long call `verify` to see whether it still works. The
//! runtime sends facts to the server as a hash.
//!
//! ## How it is judged
//! - Judged: `verify` after the services of `stickler.toml` have been stopped while there was a
//!   connection; the result of `facts`; exceptions of `facts` on a connection for which `verify`
//!   returned, and of `verify` once `facts` has returned.
//! - Lowered to should: other facts than usual that `facts` returns while the target does not answer.
//! - Not judged: targets that answer without the services.
//!
//! ## Example
//! `def verify(context); true; end`.
//!
//! ## How to fix
//! Send the target a small request, and raise if it fails. End `facts` with the hash.
//!
//! ## Source
//! Resource API specification, "Transports", "Implementation". puppet-resource_api 1.8.16 never
//! calls `verify`.

use crate::phase;
use crate::purpose;
use crate::session::Session;
use crate::targets::{TARGETS, keyed, lacks_facts, raised, returned, rows};
use puppet_types::Value;
use stickler_judge::{Check, Group, Ledger, Level, RunPlace, Variant};

pub(super) const CHECKS: super::Checks =
    &[Check::Session(TARGETS, check), Check::Group(TARGETS, lost)];

/// `verify` returned.
const VERIFIED: Variant = Variant::new("verified");
/// There are no facts, although the target answers.
const RAISES: Variant = Variant::new("facts-raise");
/// Facts end the connection.
const ENDS: Variant = Variant::new("facts-end");
/// Facts are returned, although there are none to be had.
const QUIET: Variant = Variant::new("quiet-facts");
/// The facts are no hash.
const NO_HASH: Variant = Variant::new("no-hash");

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::FACTS) {
        let Some(value) = answer.value("value") else {
            continue;
        };
        let broken = (!matches!(value, Value::Hash(_))).then(|| {
            let class = answer.text("class").unwrap_or_default();
            NO_HASH.says(format!("`facts` returned a value of class {class}"))
        });
        ledger.check(call.number, call.provenance, broken);
    }
    let (again, facts) = (
        keyed(session, purpose::AGAIN),
        keyed(session, purpose::FACTS),
    );
    if let Some((call, answer)) = facts
        && returned(again)
        && returned(keyed(session, purpose::VERIFY))
    {
        match answer.failure() {
            // RA705 judges which arguments it takes.
            Some(failure) if failure.is_arity() => {}
            Some(failure) if failure.lack().is_some() => {
                ledger.skip(failure.lack().unwrap_or_default());
            }
            failure => {
                let broken = failure.map(|failure| {
                    RAISES.says(format!(
                        "the target answers, but `facts` raises {}{}",
                        failure.in_words(),
                        failure.place()
                    ))
                });
                ledger.check(call.number, call.provenance, broken);
            }
        }
    }
    if let Some((call, answer)) = keyed(session, purpose::STILL)
        && returned(keyed(session, purpose::VERIFY))
        && returned(facts)
    {
        let broken = answer.failure().map(|failure| {
            ENDS.says(format!(
                "`verify` returned, but after `facts` it raises {}",
                failure.in_words()
            ))
        });
        ledger.check(call.number, call.provenance, broken);
    }
    if !returned(keyed(session, purpose::LOST)) {
        return;
    }
    let verified = keyed(session, purpose::VERIFY);
    let Some((call, answer)) = verified else {
        return;
    };
    if answer.failure().is_some() {
        ledger.pass(call.number);
    } else if returned(verified) {
        let (facts, lost) = (
            keyed(session, purpose::FACTS),
            keyed(session, purpose::GET_LOST),
        );
        let is_lost = raised(facts)
            || raised(lost)
            || lost.is_some() && rows(lost) != rows(keyed(session, purpose::GET));
        if is_lost {
            let broken =
                VERIFIED.says("the target does not answer, but `verify` raises no exception");
            ledger.check(call.number, call.provenance, Some(broken));
        } else {
            ledger.skip("the target still answers");
        }
    }
}

/// A target that is gone has no other facts than one that answers.
fn lost(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let facts = |session| keyed(session, purpose::FACTS);
    let Some((_, whole)) = group.baseline() else {
        return;
    };
    let Some(usual) = facts(whole).and_then(|(_, answer)| answer.value("value")) else {
        return;
    };
    for (_, index, session) in group.variants() {
        let Some((call, answer)) =
            facts(session).filter(|_| returned(keyed(session, purpose::LOST)))
        else {
            continue;
        };
        let place = RunPlace::at(index, call.number);
        let (verified, read) = (
            keyed(session, purpose::VERIFY),
            keyed(session, purpose::GET_LOST),
        );
        let lacks = lacks_facts(whole, session);
        let is_gone = raised(verified) || raised(read) || lacks;
        let is_seen =
            raised(read) || read.is_some() && rows(read) != rows(keyed(session, purpose::GET));
        if let Some((verify, _)) = verified.filter(|_| lacks && !is_seen && returned(verified)) {
            let defect = VERIFIED.says(
                "the target does not answer, as its facts show, but `verify` raises no exception",
            );
            let place = RunPlace::at(index, verify.number);
            let finding = ledger.finding_at(place, defect);
            ledger.report(finding.graded(verify.provenance));
        }
        match answer.value("value").filter(|_| returned(facts(session))) {
            Some(told) if is_gone && matches!(told, Value::Hash(_)) && told != usual => {
                let defect = QUIET.says(format!(
                    "the target does not answer, but `facts` returns {}",
                    told.inspect()
                ));
                let finding = ledger.finding_at(place, defect).at_most(Level::Should);
                ledger.report(finding.graded(call.provenance));
            }
            _ if raised(facts(session)) => ledger.passes.push(place),
            _ => {}
        }
    }
}
