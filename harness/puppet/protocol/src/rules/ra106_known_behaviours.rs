//! # A behaviour is one of the four
//!
//! ## What it requires
//! `behaviour` (or `behavior`, but not both) is `:namevar`, `:read_only`, `:init_only` or
//! `:parameter`.
//!
//! ## Why
//! The runtime refuses other values when it loads the type.
//!
//! ## How it is judged
//! - Judged: each attribute. A string instead of the symbol fails.
//!
//! ## Example
//! `behaviour: 'namevar'` is a string.
//!
//! ## How to fix
//! Write the symbol: `behaviour: :namevar`.
//!
//! ## Source
//! Resource API specification, "Resource definition". puppet-resource_api 1.8.16 raises a
//! ResourceError.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA106");
})];
