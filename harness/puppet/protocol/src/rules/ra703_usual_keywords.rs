//! # Connection info has the usual keys
//!
//! ## What it requires
//! A key that means uri, protocol, host, port, user or password has that name.
//!
//! ## Why
//! Bolt fills in these keys from its inventory.
//!
//! ## How it is judged
//! - Judged: keys whose name is another common word for one of them, such as hostname.
//!
//! ## Example
//! `hostname` and `username`.
//!
//! ## How to fix
//! Rename the key, or keep it and waive the rule.
//!
//! ## Source
//! Resource API specification, "Transports", "Schema".

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA703");
})];
