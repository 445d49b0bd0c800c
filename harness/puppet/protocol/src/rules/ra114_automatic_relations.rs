//! # Automatic relationships name types and titles
//!
//! ## What it requires
//! `autorequire`, `autobefore`, `autosubscribe` and `autonotify` are hashes from names of types to
//! titles: constants, or `$attribute` for an attribute that exists.
//!
//! ## Why
//! If a `$attribute` does not exist, the agent's whole run fails.
//!
//! ## How it is judged
//! - Judged: the four keys of each definition.
//!
//! ## Example
//! `autorequire: { file: '$sorce' }` where the attribute is `source`.
//!
//! ## How to fix
//! Correct the name after the dollar sign.
//!
//! ## Source
//! Resource API specification, "Resource definition". puppet-resource_api 1.8.16 accepts any shape
//! when it loads the type.

use crate::reads::DEFINITIONS;
use stickler_judge::Check;

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, |session, ledger| {
    super::defined(session, ledger, "RA114");
})];
