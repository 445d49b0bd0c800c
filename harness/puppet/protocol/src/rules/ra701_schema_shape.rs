//! # A transport has a schema with typed connection info
//!
//! ## What it requires
//! A schema passes a hash to `register_transport`, with `name`, `desc` and `connection_info`. The
//! last is a hash of attributes with types.
//!
//! ## Why
//! The runtime checks connection info against the schema. It refuses other schemas when it loads
//! them.
//!
//! ## How it is judged
//! - Judged: each schema, and its `connection_info_order`, if it has one.
//!
//! ## Example
//! A schema without `desc`.
//!
//! ## How to fix
//! Write `name`, `desc` and `connection_info: { host: { type: 'String', desc: '…' } }`.
//!
//! ## Source
//! Resource API specification, "Transports", "Schema". puppet-resource_api 1.8.16 raises a
//! DevError.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA701");
})];
