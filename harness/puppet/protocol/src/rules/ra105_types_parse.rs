//! # Every type is a Puppet data type
//!
//! ## What it requires
//! The `type` of every attribute parses as a Puppet data type, and names no type that does not exist.
//!
//! ## Why
//! A type that does not parse stops Puppet. One that names an unknown type fails at the first value.
//!
//! ## How it is judged
//! - Judged: the `type` of each attribute. Aliases from the module's `types` folder are followed; one of
//!   the module's own that does not exist, or whose file is wrong, fails.
//! - Not judged: aliases of other modules, which are not here, and aliases that contain themselves. Values
//!   of such attributes are taken as they are, and none are made up.
//!
//! ## Example
//! `type: 'string'`: names of types begin with a capital letter.
//!
//! ## How to fix
//! Correct the type; the message says where it stops to make sense. Aliases are not in the specification: only a runtime that
//! has all modules follows them.
//!
//! ## Source
//! Resource API specification, "Resource definition", "Puppet 4 data types".

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA105");
})];
