//! # The attributes are hashes with types
//!
//! ## What it requires
//! `attributes` is a hash of hashes whose keys are symbols. Each has a `type`.
//!
//! ## Why
//! The runtime reads names and types from this hash. If a type is missing, the runtime does not
//! check the values, or stops with an error that names no attribute.
//!
//! ## How it is judged
//! - Judged: `attributes`, and each attribute in it.
//!
//! ## Example
//! `attributes: { ensure: 'Enum[present, absent]' }` has a string instead of a hash.
//!
//! ## How to fix
//! Write `ensure: { type: 'Enum[present, absent]', desc: '…' }`.
//!
//! ## Source
//! Resource API specification, "Resource definition". puppet-resource_api 1.8.16 raises a DevError;
//! without `attributes`, a KeyError.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA102");
})];
