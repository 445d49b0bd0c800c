//! # Under `action_policy` warn the module changes nothing
//!
//! ## What it requires
//! A module that advertises `action_policy` changes nothing on the system when it evaluates a
//! promise with `action_policy` `warn`.
//!
//! ## Why
//! `--dry-run`, `--simulate` and cautious policies rely on `warn`. The user has ruled out
//! every change under it.
//!
//! ## How it is judged
//! - Judged: the changes during each evaluation with `warn`, on a fresh state and after a
//!   normal run. Rewriting the same content counts as a change.
//! - Not judged: new temporary files of the module, such as a lock in `TMPDIR`. PM805 reports
//!   them if they stay. Caches, logs and `[effects] ignore` never count.
//! - Lowered to should: changes outside `{dir}`, at paths not named in the promise.
//!
//! ## Example
//! A module creates the parent directory before it reads `action_policy`.
//!
//! ## How to fix
//! Find out what differs first, and change it afterwards. Read `action_policy` between the
//! two, and return before the first change. Directories, temporary files and downloads are
//! changes, too.
//! - Python:
//!   `if attributes.get("action_policy") in ("warn", "nop"): return warn(differences)`
//! - Programs: use their dry run, such as `rsync --dry-run` or `apt-get --simulate`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy".

use crate::relation;
use crate::session::Session;
use crate::temporary::is_own_temporary;
use crate::warn::{asked, worst};
use stickler_judge::{Check, Defect, Ledger, Relation};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[Relation::PLACES, relation::POLICIES, Relation::WARN],
    check,
)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in asked(session) {
        let Some(effects) = &exchange.effects else {
            continue;
        };
        let counted = effects
            .iter()
            .filter(|change| !is_own_temporary(session, change));
        match worst(counted, session.case(), exchange) {
            Some((level, Defect { variant, message })) => {
                let message = format!("an evaluation under warn {message}");
                let finding = ledger
                    .finding(exchange.number, variant.says(message))
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
