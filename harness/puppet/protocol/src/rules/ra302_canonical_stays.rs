//! # What is canonical stays as it is
//!
//! ## What it requires
//! `canonicalize` changes nothing in what it has returned.
//!
//! ## Why
//! The runtime calls it several times for one resource.
//!
//! ## How it is judged
//! - Judged: a call with what an earlier call in the session returned.
//!
//! ## Example
//! `r[:name] = '/' + r[:name]` adds a slash each time.
//!
//! ## How to fix
//! Add a prefix only where it is missing.
//!
//! ## Source
//! Resource API specification, "Provider feature: canonicalize". puppet-resource_api does not notice.

use crate::phase;
use crate::reads::READS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, |session, ledger| {
    super::stays_canonical(session, ledger, phase::CANONICALIZE);
})];
