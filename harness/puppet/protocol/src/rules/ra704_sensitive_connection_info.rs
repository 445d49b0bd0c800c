//! # Passwords and keys are sensitive
//!
//! ## What it requires
//! A key of `connection_info` that holds a secret has `sensitive: true`. A sensitive key has no default but
//! an empty text.
//!
//! ## Why
//! Only then does the transport receive a wrapped value, which stays out of logs. The runtime logs
//! the defaults that it uses.
//!
//! ## How it is judged
//! - Judged: keys whose names suggest a secret; defaults of sensitive keys.
//!
//! ## Example
//! `password: { type: 'String' }`.
//!
//! ## How to fix
//! Add `sensitive: true`; remove the default.
//!
//! ## Source
//! Resource API specification, "Transports".

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA704");
})];
