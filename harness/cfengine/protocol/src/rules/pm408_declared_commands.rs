//! # The commands that the author declared succeed once the promise holds
//!
//! ## What it requires
//! After an evaluation of an example that is `kept` or `repaired`, each command in its `verify`
//! exits with status 0.
//!
//! ## Why
//! Some end states show only to a program: a configuration that a server accepts, a database with
//! a table, a repository at a commit.
//!
//! ## How it is judged
//! - Judged: the first evaluation of each example as the author wrote it, if it is `kept` or
//!   `repaired`. A command that is not done after 30 seconds has failed.
//! - Not judged: other outcomes (PM406).
//!
//! ## Example
//! An example declares `verify = [["git", "-C", "{dir}/repo", "diff", "--quiet"]]`. The module
//! clones the repository, changes a file, and answers `repaired`.
//!
//! ## How to fix
//! Run the command by hand after the evaluation. Then correct the example, or what the module
//! does. Such commands run in the module's sandbox, with its environment.
//!
//! ## Source
//! The author's configuration; CFEngine: Custom promise types, "Results".

use crate::declared::looks;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use stickler_transcript::Declared;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, result, look) in looks(session) {
        if !matches!(look.declared, Declared::Succeeds { .. }) {
            continue;
        }
        let defect = look.broken(session.case());
        let Some((_, what)) = defect else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(exchange.number, format!("`{result}`, but {what}"))
            .expected("the command succeeds, as the example declares in `verify`")
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
