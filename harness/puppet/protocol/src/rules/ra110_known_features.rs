//! # Features are known strings
//!
//! ## What it requires
//! `features` is a list of strings, each one that the specification defines.
//!
//! ## Why
//! The runtime ignores symbols and unknown words, so the feature stays off.
//!
//! ## How it is judged
//! - Judged: `features` of each definition; as a should, `custom_generate`, if `runtimes` in
//!   `[subject]` names 7.23, whose library does not know it.
//!
//! ## Example
//! `features: [:canonicalize]` has a symbol.
//!
//! ## How to fix
//! Write strings: `features: ['canonicalize']`.
//!
//! ## Source
//! Resource API specification, "Provider features". puppet-resource_api 1.8.16 warns of unknown
//! ones.

use crate::reads::DEFINITIONS;
use crate::releases::Releases;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Level, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA110");
    check(session, ledger);
})];

/// A release that the module is meant for does not know it.
const NEWER: Variant = Variant::new("newer");

/// A feature that is newer than a release that the author names.
fn check(session: &Session, ledger: &mut Ledger) {
    let releases = Releases::of(session);
    if !(releases.seven && releases.are_named) {
        return;
    }
    for (loaded, provenance) in session.definitions() {
        if loaded.definition.has_feature("custom_generate") {
            let name = loaded.definition.name.as_deref().unwrap_or("?");
            let message = NEWER.says(format!(
                "`{name}`: puppet-resource_api 1.8.16 does not know the feature `custom_generate`: it warns, and never calls `generate`"
            ));
            let finding = ledger.finding(loaded.exchange, message);
            ledger.report(finding.at_most(Level::Should).graded(provenance));
        }
    }
}
