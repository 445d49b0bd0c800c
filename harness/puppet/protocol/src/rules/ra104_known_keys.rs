//! # No key is a misspelt known key
//!
//! ## What it requires
//! A definition has no unknown key that resembles a known one, at its top level or in an attribute.
//!
//! ## Why
//! The runtime ignores unknown keys, so a typing error silently switches a feature off.
//!
//! ## How it is judged
//! - Judged: keys at the top level of a definition and in each attribute, compared with the known
//!   keys.
//! - Not judged: other unknown keys, which modules use for their own purposes.
//!
//! ## Example
//! `feature: ['canonicalize']` instead of `features`.
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
