//! # Connection info uses the usual words
//!
//! ## What it requires
//! Where a key means one of uri, protocol, host, port, user, password, it has that name.
//!
//! ## Why
//! Bolt fills these words from its inventory by itself.
//!
//! ## How it is judged
//! - Judged: keys with a name that is another usual word for one of them, such as hostname.
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
