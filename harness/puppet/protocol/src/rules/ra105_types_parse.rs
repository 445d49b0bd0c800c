//! # Every type is a Puppet data type
//!
//! ## What it requires
//! The `type` of every attribute parses as a Puppet data type, and names no type that does not exist.
//!
//! ## Why
//! A type that does not parse stops Puppet. One that names an unknown type fails at the first value.
//!
//! ## How it is judged
//! - Judged: the `type` of each attribute.
//! - Not judged: aliases from the module's `types` folder, which a runtime resolves.
//!
//! ## Example
//! `type: 'string'`: names of types begin with a capital letter.
//!
//! ## How to fix
//! Correct the type; the message says where it stops to make sense.
//!
//! ## Source
//! Resource API specification, "Resource definition", "Puppet 4 data types".

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA105");
})];
