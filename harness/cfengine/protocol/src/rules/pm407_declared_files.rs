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
use crate::entries::{declared_difference, kind_words};
use crate::session::Session;
use crate::words::shown;
use stickler_judge::{Check, Ledger, Variant};
use stickler_transcript::{Declared, Entry};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// Nothing is at a declared path.
const MISSING: Variant = Variant::new("missing");
/// Something is at a path that the author declared absent.
const PRESENT: Variant = Variant::new("present");
/// It is there, but otherwise than declared.
const OTHERWISE: Variant = Variant::new("otherwise");

fn check(session: &Session, ledger: &mut Ledger) {
    for look in looks(session) {
        let (exchange, result) = (look.exchange, look.result);
        let (path, defect) = match (look.declared, look.found) {
            (Declared::Succeeds { .. }, _) => continue,
            (Declared::Absent { path }, None) => (path, None),
            (Declared::Absent { path }, Some(found)) => {
                let what = format!("{} is there", kind_words(found.kind));
                (path, Some((PRESENT, what)))
            }
            (Declared::Creates { path, .. }, None) => {
                (path, Some((MISSING, "nothing is there".to_owned())))
            }
            (declared @ Declared::Creates { path, .. }, Some(found)) => (
                path,
                otherwise(declared, found).map(|what| (OTHERWISE, what)),
            ),
        };
        let Some((variant, what)) = defect else {
            ledger.pass(exchange.number);
            continue;
        };
        let path = shown(path, session.case(), 80);
        let message = format!("`{result}`, but `{path}` is not as the author declared: {what}");
        let finding = ledger
            .finding(exchange.number, variant.says(message))
            .expected("what the example declares in `creates` and `absent`")
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

/// How an entry differs from the declared one.
fn otherwise(declared: &Declared, found: &Entry) -> Option<String> {
    let Declared::Creates {
        kind,
        mode,
        owner,
        group,
        content,
        ..
    } = declared
    else {
        return None;
    };
    if let Some(kind) = kind.filter(|kind| *kind != found.kind) {
        return Some(format!(
            "it is {} instead of {}",
            kind_words(found.kind),
            kind_words(kind)
        ));
    }
    if let Some(mode) = mode.filter(|mode| *mode != found.mode) {
        return Some(format!(
            "its mode is {:04o} instead of {mode:04o}",
            found.mode
        ));
    }
    for (what, wanted, number) in [("owner", owner, found.uid), ("group", group, found.gid)] {
        if let Some(wanted) = wanted.filter(|wanted| *wanted != number) {
            return Some(format!("its {what} is {number} instead of {wanted}"));
        }
    }
    let difference = declared_difference(content.as_ref()?, found)?;
    Some(format!("it {difference}"))
}
