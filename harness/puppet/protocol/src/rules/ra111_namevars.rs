//! # A type has a namevar
//!
//! ## What it requires
//! At least one attribute is a namevar. With several, the type has `title_patterns`.
//!
//! ## Why
//! A namevar identifies a resource. Without patterns, the runtime gives the whole title to the
//! first namevar and nothing to the others.
//!
//! ## How it is judged
//! - Judged: each definition of a type.
//!
//! ## Example
//! `package` and `manager` are namevars, and there is no `title_patterns`.
//!
//! ## How to fix
//! Mark the identifying attribute with `behaviour: :namevar`; for several, add `title_patterns`.
//!
//! ## Source
//! Resource API specification, "Composite Namevars". puppet-resource_api 1.8.16 accepts types
//! without a namevar or without patterns.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA111");
})];
