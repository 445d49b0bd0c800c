//! # No attribute has a reserved name
//!
//! ## What it requires
//! No attribute has the name of a metaparameter or another name that Puppet uses itself.
//!
//! ## Why
//! Puppet could not tell the attribute from its own, so it refuses the type.
//!
//! ## How it is judged
//! - Judged: the names of attributes: title, provider, alias, audit, before, consume, export,
//!   loglevel, noop, notify, require, schedule, stage, subscribe, tag, rsapi_custom_insync_trigger.
//!
//! ## Example
//! An attribute `tag`.
//!
//! ## How to fix
//! Choose another name, such as `image_tag`.
//!
//! ## Source
//! The specification names none; puppet-resource_api 1.8.16 raises a DevError for each.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA107");
})];
