//! # Every type is a Puppet data type
//!
//! ## What it requires
//! The `type` of every attribute parses as a Puppet data type, and refers only to types that exist.
//!
//! ## Why
//! A type that does not parse stops Puppet. One that names an unknown type fails at the first
//! value.
//!
//! ## How it is judged
//! - Judged: the `type` of each attribute. Stickler resolves aliases from the module's `types`
//!   folder. An alias of the module that does not exist, or whose file is wrong, fails.
//! - Not judged: aliases of other modules, whose files are missing here, and aliases that contain
//!   themselves. Stickler sends the author's values for such attributes, and generates none.
//!
//! ## Example
//! `type: 'string'`: names of types begin with a capital letter.
//!
//! ## How to fix
//! Correct the type; the message says where the parser stops. The specification does not mention
//! aliases: a runtime can resolve them only if it has all modules.
//!
//! ## Source
//! Resource API specification, "Resource definition", "Puppet 4 data types".

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA105");
})];
