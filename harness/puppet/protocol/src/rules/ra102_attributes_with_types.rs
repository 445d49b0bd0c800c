//! # The attributes are hashes with types
//!
//! ## What it requires
//! `attributes` is a hash of hashes whose keys are symbols. Each has a `type`.
//!
//! ## Why
//! The runtime reads names and types from there. What it does not find it does not check, or it
//! stops with an error that names no attribute.
//!
//! ## How it is judged
//! - Judged: `attributes`, and each attribute in it.
//!
//! ## Example
//! `attributes: { ensure: 'Enum[present, absent]' }` has a text in place of a hash.
//!
//! ## How to fix
//! Write `ensure: { type: 'Enum[present, absent]', desc: '…' }`.
//!
//! ## Source
//! Resource API specification, "Resource definition". puppet-resource_api 1.8.16 raises a DevError,
//! without `attributes` a KeyError.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA102");
})];
