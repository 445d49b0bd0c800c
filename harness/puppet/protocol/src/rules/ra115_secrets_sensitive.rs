//! # Attributes that look like secrets are sensitive
//!
//! ## What it requires
//! An attribute whose name speaks of a secret has a type `Sensitive[…]`.
//!
//! ## Why
//! Puppet prints and stores other values in logs, reports and the catalog.
//!
//! ## How it is judged
//! - Judged: names with password, secret, token and the like.
//! - Not judged: read_only attributes, and names that only speak of such things, such as a file's.
//!
//! ## Example
//! `password: { type: 'String' }`.
//!
//! ## How to fix
//! Use `Sensitive[String]`, and call `unwrap` only where the value is needed.
//!
//! ## Source
//! Resource API specification, "Transports", on sensitive values; Puppet language, "Sensitive".

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA115");
})];
