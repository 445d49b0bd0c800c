//! # No key is nearly a known one
//!
//! ## What it requires
//! A definition has no key that is unknown and nearly a known one, at its top or in an attribute.
//!
//! ## Why
//! The runtime ignores unknown keys, so a typing error switches a feature off in silence.
//!
//! ## How it is judged
//! - Judged: keys at the top of a definition and in each attribute, by their distance to known ones.
//! - Not judged: other unknown keys, which modules use for their own purposes.
//!
//! ## Example
//! `feature: ['canonicalize']` in place of `features`.
//!
//! ## How to fix
//! Correct the key.
//!
//! ## Source
//! Resource API specification, "Resource definition". puppet-resource_api ignores unknown keys.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA104");
})];
