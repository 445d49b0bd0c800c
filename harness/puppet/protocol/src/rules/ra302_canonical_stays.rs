//! # `canonicalize` leaves canonical values unchanged
//!
//! ## What it requires
//! If `canonicalize` receives its own result, it returns it unchanged.
//!
//! ## Why
//! The runtime calls it several times for one resource.
//!
//! ## How it is judged
//! - Judged: a call with the result of an earlier call in the session.
//!
//! ## Example
//! `r[:name] = '/' + r[:name]` adds a slash each time.
//!
//! ## How to fix
//! Add a prefix only where it is missing.
//!
//! ## Source
//! Resource API specification, "Provider feature: canonicalize". puppet-resource_api does not check
//! this.

use crate::phase;
use crate::reads::READS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, |session, ledger| {
    super::stays_canonical(session, ledger, phase::CANONICALIZE);
})];
