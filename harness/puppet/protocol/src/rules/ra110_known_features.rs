//! # Features are known strings
//!
//! ## What it requires
//! `features` is a list of strings, each one that the specification defines.
//!
//! ## Why
//! The runtime ignores symbols and unknown words, so the feature stays off.
//!
//! ## How it is judged
//! - Judged: `features` of each definition.
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
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA110");
})];
