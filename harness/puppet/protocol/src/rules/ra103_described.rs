//! # The type and its attributes are described
//!
//! ## What it requires
//! The type and every attribute have a `desc`. They may have `docs`, the older name, instead.
//!
//! ## Why
//! `puppet describe` and puppet-strings show these texts. Without them, users must read the code.
//!
//! ## How it is judged
//! - Judged: the type and each attribute. A missing `desc`, a blank one, one that is not a string,
//!   and `desc` together with `docs` fail.
//!
//! ## Example
//! An attribute `port: { type: 'Integer' }` without `desc`.
//!
//! ## How to fix
//! Add `desc: 'The port to listen on.'`. If there are both `desc` and `docs`, keep `desc`.
//!
//! ## Source
//! Resource API specification, "Resource definition". puppet-resource_api 1.8.16 warns of a missing
//! `desc`, and refuses both keys together.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA103");
})];
