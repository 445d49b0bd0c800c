//! # Attributes that look like secrets are sensitive
//!
//! ## What it requires
//! An attribute whose name suggests a secret has a type `Sensitive[…]`. A sensitive attribute has no
//! default but an empty text.
//!
//! ## Why
//! Puppet prints and stores other values in logs, reports and the catalog.
//!
//! ## How it is judged
//! - Judged: names with password, secret, token and the like; defaults that are wrapped.
//! - Not judged: names of things that only belong to a secret, such as its file.
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
