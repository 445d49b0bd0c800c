//! # A definition is a hash with a name
//!
//! ## What it requires
//! What a type's file passes to `register_type` is a hash. Its `name` gives a valid name of a class
//! when it is capitalised.
//!
//! ## Why
//! The runtime builds the names of the provider's file and class from the name. Without a valid name,
//! Puppet stops when it loads the type.
//!
//! ## How it is judged
//! - Judged: each definition that the file of a type registers.
//! - Not judged: files that define a type of Puppet's older interface.
//!
//! ## Example
//! `name: 'apt-key'` gives no name of a class.
//!
//! ## How to fix
//! Write lower-case letters, digits and `_`, and begin with a letter: `name: 'apt_key'`.
//!
//! ## Source
//! Resource API specification, "Resource definition". puppet-resource_api 1.8.16 raises a DevError
//! without a hash or a name, and NameError for a name that gives no class.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA101");
})];
