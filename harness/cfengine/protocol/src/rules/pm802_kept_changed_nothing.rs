//! # `kept` changed nothing
//!
//! ## What it requires
//! An evaluation that answers `kept` has changed nothing. Writing the same content
//! again is a change: the file has a new time, perhaps a new inode.
//!
//! ## Why
//! `kept` tells the agent that there was nothing to do. Changes behind its back are
//! in no log, fire no handlers, and wake up whatever watches the files.
//!
//! ## How it is judged
//! Effects are read around each evaluation. Changes at paths that the promise
//! names, or in its scratch directory, are graver than those elsewhere. What the
//! module sets up for itself elsewhere does not count if it says so with a message
//! of level notice, nor does a temporary file of its own, such as a lock in
//! `TMPDIR` (PM805). Evaluations under `action_policy` warn or nop are judged by
//! PM701 and PM707. What a promise wrote is laid out in other ways, too: with blanks at the ends of
//! lines, as another writer of JSON has it. Nothing is judged where a process is left that may be
//! changing files by itself (PM309).
//!
//! ## Example
//! A module writes the file each time, and compares the old content only to
//! choose between `kept` and `repaired`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" (kept: no change made).

use crate::effects::{Weight, weigh};
use crate::logs::has;
use crate::session::Session;
use crate::temporary::is_own_temporary;
use crate::warn::worst;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    if !session.left.processes.is_empty() {
        return;
    }
    for exchange in session.evaluations().filter(|exchange| exchange.is("kept")) {
        if matches!(exchange.policy(), Some(b"warn" | b"nop")) {
            continue;
        }
        let Some(effects) = &exchange.effects else {
            continue;
        };
        let announced = has(exchange, &["notice"]);
        let counted = effects.iter().filter(|change| {
            (!announced || weigh(change, session.case(), exchange) == Weight::Promised)
                && !is_own_temporary(session, change)
        });
        match worst(counted, session.case(), exchange) {
            Some((level, words)) => {
                let finding = ledger
                    .finding(exchange.number, format!("`kept`, but it {words}"))
                    .expected("no change")
                    .at_most(level)
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
            None => ledger.pass(exchange.number),
        }
    }
}
