//! # Keys of connection info are symbols
//!
//! ## What it requires
//! `connection_info` has symbols as keys.
//!
//! ## Why
//! Older device code used strings, which the runtime does not find.
//!
//! ## How it is judged
//! - Judged: the keys of `connection_info`.
//!
//! ## Example
//! `connection_info: { 'host' => { type: 'String' } }`.
//!
//! ## How to fix
//! Write `host: { … }`.
//!
//! ## Source
//! Resource API specification, "Transports", "Porting existing code".

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA717");
})];
