//! # Passwords and keys are sensitive
//!
//! ## What it requires
//! A key of `connection_info` that holds a secret has `sensitive: true`.
//!
//! ## Why
//! Only then does the transport receive a wrapped value, which stays out of logs.
//!
//! ## How it is judged
//! - Judged: keys whose names suggest a secret.
//!
//! ## Example
//! `password: { type: 'String' }`.
//!
//! ## How to fix
//! Add `sensitive: true`.
//!
//! ## Source
//! Resource API specification, "Transports".

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA704");
})];
