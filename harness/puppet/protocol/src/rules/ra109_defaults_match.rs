//! # A default matches its type
//!
//! ## What it requires
//! The `default` of an attribute matches its type. A read_only attribute has none.
//!
//! ## Why
//! The runtime gives the default to the provider as if a user had written it. A default that does
//! not match fails at the first resource. The runtime drops the default of a read_only attribute.
//!
//! ## How it is judged
//! - Judged: each attribute with a `default`.
//! - Lowered: the default of a read_only attribute is an advice.
//!
//! ## Example
//! `type: 'Integer', default: '80'`.
//!
//! ## How to fix
//! Write a default of the type: `default: 80`.
//!
//! ## Source
//! Resource API specification, "Resource definition". puppet-resource_api 1.8.16 notices it only
//! when a catalog holds such a resource.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA109");
})];
