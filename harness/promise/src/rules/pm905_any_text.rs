//! # Any UTF-8 text is carried unchanged
//!
//! ## What it requires
//! Characters of all kinds in the promiser and in values arrive as they were
//! sent: beyond the basic plane, combining, U+2028 and U+0085, ligatures and
//! no-break blanks, as bytes or as escaped surrogate pairs.
//!
//! ## Why
//! Names of people, files and places are not ASCII. A module that decodes its
//! input by the locale, or cuts lines where Unicode has separators, writes
//! something else than the policy says.
//!
//! ## How it is judged
//! Each text value and the promiser of the author's examples is sent again with
//! such characters around it. Judged is what can be seen: the value was echoed
//! in the plain run, or stands in a file, a path or a link target that the plain
//! run made; then the changed value has to stand there too, as it is or escaped
//! as the file's format asks. Promises that are turned away or cannot be kept
//! are not judged, nor are texts that a message quotes. Text in ASCII alone is
//! PM910.
//!
//! ## Example
//! A Python module under a C locale writes `?` in place of `ä`.
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol" and "Line based protocol";
//! RFC 8259, sections 7 and 8.

use crate::carried;
use crate::session::Session;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&["text"], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    carried::judge(group, ledger, |value| {
        value.kind == "text" && value.is_beyond_ascii()
    });
}
