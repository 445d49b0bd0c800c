//! # Under `action_policy` warn nothing changes
//!
//! ## What it requires
//! A module that advertises `action_policy` changes nothing on the system when it
//! evaluates a promise whose `action_policy` is `warn`.
//!
//! ## Why
//! `warn` is what `--dry-run`, `--simulate` and cautious policies stand on. A
//! change made in spite of it is the one that somebody had ruled out.
//!
//! ## How it is judged
//! Effects are read before and after each evaluation with `warn`, on a fresh state
//! and after a normal run. Writing the same content again is a change too. Changes
//! at paths that the promise names are graver than those elsewhere. A temporary
//! file of the module's own, such as a lock in `TMPDIR`, does not count here; if
//! it stays, PM805 tells.
//!
//! ## Example
//! A module makes the parent directory first and looks at `action_policy` then.
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy".

use crate::session::Session;
use crate::temporary::is_own_temporary;
use crate::warn::{asked, worst};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in asked(session) {
        let Some(effects) = &exchange.effects else {
            continue;
        };
        let counted = effects
            .iter()
            .filter(|change| !is_own_temporary(session, change));
        match worst(counted, session.case(), exchange) {
            Some((level, words)) => {
                let finding = ledger
                    .finding(exchange.number, format!("evaluated with warn, it {words}"))
                    .expected("no change")
                    .at_most(level)
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
            None if exchange.result().is_some() => ledger.pass(exchange.number),
            None => {}
        }
    }
}
