//! # No connection info has a reserved name
//!
//! ## What it requires
//! No key of `connection_info` is name, path, query, run-on or implementations, or begins with
//! `remote-`.
//!
//! ## Why
//! Bolt uses these words for its own purposes, so the transport never gets them.
//!
//! ## How it is judged
//! - Judged: the keys of `connection_info`.
//!
//! ## Example
//! `connection_info: { name: { type: 'String' } }`.
//!
//! ## How to fix
//! Use `host` or `uri` instead of `name`.
//!
//! ## Source
//! Resource API specification, "Transports", "Schema".

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA702");
})];
