//! # Every title pattern can be the first match
//!
//! ## What it requires
//! For every title pattern there is a title that no earlier one matches.
//!
//! ## Why
//! The runtime takes the first match. A pattern after one that matches everything never counts.
//!
//! ## How it is judged
//! - Judged: each pattern after the first, by titles that Stickler generates from the patterns.
//!
//! ## Example
//! `%r{^(?<package>.*)$}` precedes `%r{^(?<package>.*)-(?<manager>.*)$}`.
//!
//! ## How to fix
//! Put the special pattern before the general one.
//!
//! ## Source
//! Resource API specification, "Composite Namevars": evaluation stops after the first match.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA113");
})];
