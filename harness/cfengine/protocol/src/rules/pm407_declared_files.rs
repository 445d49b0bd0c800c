//! # The files that the author declared are there once the promise holds
//!
//! ## What it requires
//! After an evaluation of an example that is `kept` or `repaired`, each path in its `creates` is
//! there with the declared type, mode, owner, group and content, and no path in its `absent` is.
//!
//! ## Why
//! Only the author knows the end state. A module can say `repaired`, and do something else.
//!
//! ## How it is judged
//! - Judged: the first evaluation of each example as the author wrote it, if it is `kept` or
//!   `repaired`.
//! - Not judged: other outcomes (PM406); the owner and the group unless Stickler runs as root,
//!   since no one else can change them.
//!
//! ## Example
//! An example declares `creates = { "{dir}/motd" = { mode = "0644" } }`. The module creates the
//! file with the mode 0600, and answers `repaired`.
//!
//! ## How to fix
//! Find out which side is wrong: correct `creates` or `absent` of the example, or what the module
//! does. Common causes:
//! - The mode follows the process's umask: set it, such as `os.chmod(path, 0o644)` or `install -m`.
//! - The content lacks a line end, or has one too many.
//!
//! ## Source
//! The author's configuration; CFEngine: Custom promise types, "Results".

use crate::declared::looks;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::Broken;
use stickler_transcript::Declared;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// Nothing is at a declared path.
const MISSING: Variant = Variant::new("missing");
/// Something is at a path that the author declared absent.
const PRESENT: Variant = Variant::new("present");
/// It is there, but otherwise than declared.
const OTHERWISE: Variant = Variant::new("otherwise");

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, result, look) in looks(session) {
        if matches!(look.declared, Declared::Succeeds { .. }) {
            continue;
        }
        let defect = look.broken(session.case());
        let Some((how, what)) = defect else {
            ledger.pass(exchange.number);
            continue;
        };
        let variant = match how {
            Broken::Missing => MISSING,
            Broken::Present => PRESENT,
            Broken::Otherwise | Broken::Fails => OTHERWISE,
        };
        let message = format!("`{result}`, but {what}");
        let finding = ledger
            .finding(exchange.number, variant.says(message))
            .expected("what the example declares in `creates` and `absent`")
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
