//! # `ensure` is present or absent
//!
//! ## What it requires
//! An attribute `ensure` is of type `Enum[present, absent]`, or its optional form, and is an
//! ordinary property.
//!
//! ## Why
//! The runtime decides by `ensure` whether to create, update or delete. It gives other values no
//! meaning.
//!
//! ## How it is judged
//! - Judged: the type and the behaviour of `ensure`. The order of the two words is free.
//!
//! ## Example
//! `ensure: { type: 'Enum[running, stopped]' }`.
//!
//! ## How to fix
//! Use `Enum[present, absent]`, and another attribute for further states.
//!
//! ## Source
//! Resource API specification, "Resource definition", "Implementing simple providers".
//! puppet-resource_api 1.8.16 refuses other types, but accepts any behaviour.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA108");
})];
