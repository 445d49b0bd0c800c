//! # A resource does the same in any environment
//!
//! ## What it requires
//! With another locale, `HOME`, `PATH`, `TMPDIR`, working directory or umask, the calls of a resource
//! come to the same.
//!
//! ## Why
//! A service manager starts mgmt in another environment than a shell does: without `HOME`, in `/`, and
//! often with a strict umask.
//!
//! ## How it is judged
//! - Judged: `Validate`, `Init` and the first two calls of each example, compared with the usual ones,
//!   with an ASCII locale, without `LANG`, without `HOME`, with a minimal `PATH`, another working
//!   directory, another `TMPDIR`, and umask 077.
//! - Not judged: variables that `[subject] env` sets; no `HOME`, if a setup uses it; calls whose result
//!   differs from one usual run to another.
//!
//! ## Example
//! `os.WriteFile(path, text, 0o644)` makes a file of mode 0600 where the umask is 077, and the next call
//! finds its mode wrong.
//!
//! ## How to fix
//! Name each path in full, set modes with `os.Chmod`, and keep temporary files beside what they replace:
//! `os.CreateTemp(filepath.Dir(path), ".new-*")`.
//!
//! ## Source
//! Good practice.

use crate::session::Session;
use crate::usual::same_as_usual;
use stickler_judge::{Check, Group, Ledger, Relation, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::ENVIRONMENT], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    same_as_usual(group, ledger, Variant::ONLY, "with");
}
