//! # A transport has a schema with typed connection info
//!
//! ## What it requires
//! What `register_transport` gets is a hash with `name`, `desc` and `connection_info`, a hash of
//! attributes with types.
//!
//! ## Why
//! The runtime checks connections by the schema, and refuses others when it loads them.
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
//! Resource API specification, "Transports", "Schema". puppet-resource_api 1.8.16 raises a DevError.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA701");
})];
