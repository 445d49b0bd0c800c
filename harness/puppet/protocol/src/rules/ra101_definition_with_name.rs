//! # A definition is a hash with a name
//!
//! ## What it requires
//! A type's file passes a hash to `register_type`. The `name` in it, capitalised, is a valid class
//! name.
//!
//! ## Why
//! The runtime builds the names of the provider's file and class from the name. Without a valid
//! name, Puppet stops when it loads the type.
//!
//! ## How it is judged
//! - Judged: each definition that the file of a type registers.
//! - Not judged: files that define a type of Puppet's older interface.
//!
//! ## Example
//! `name: 'apt-key'`: `Apt-key` is not a valid class name.
//!
//! ## How to fix
//! Write lower-case letters, digits and `_`, and begin with a letter: `name: 'apt_key'`.
//!
//! ## Source
//! Resource API specification, "Resource definition". puppet-resource_api 1.8.16 raises a DevError
//! if the hash or the name is missing, and a NameError if the name gives no valid class name.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA101");
})];
