//! # The rows of `get` are canonical
//!
//! ## What it requires
//! `canonicalize` changes nothing in the rows that `get` returns.
//!
//! ## Why
//! The runtime compares the rows with canonical targets.
//!
//! ## How it is judged
//! - Judged: a call with the rows of an earlier `get` in the session.
//!
//! ## Example
//! `get` returns `0x6F6B`, and `canonicalize` removes `0x`.
//!
//! ## How to fix
//! Return canonical values from `get`.
//!
//! ## Source
//! Resource API specification, "Provider feature: canonicalize". puppet-resource_api 1.8.16 warns,
//! and with `--strict=error` stops.

use crate::phase;
use crate::reads::READS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, |session, ledger| {
    super::stays_canonical(session, ledger, phase::GET);
})];
