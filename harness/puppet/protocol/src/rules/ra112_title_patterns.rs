//! # Title patterns give the namevars
//!
//! ## What it requires
//! Each title pattern has a regular expression that compiles, and a `desc`. Its named captures are
//! namevars. All patterns together capture every namevar.
//!
//! ## Why
//! The captures become the namevars of a resource. Other captures are lost. Users must write out a
//! namevar that no pattern captures.
//!
//! ## How it is judged
//! - Judged: `title_patterns` of each definition.
//!
//! ## Example
//! `%r{^(?<name>.*)$}` where the namevar is `package`.
//!
//! ## How to fix
//! Name the captures as the namevars are named.
//!
//! ## Source
//! Resource API specification, "Composite Namevars". puppet-resource_api 1.8.16 accepts all of
//! these mistakes.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA112");
})];
