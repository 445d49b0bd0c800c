//! # responses stay below a sane size for a small request

pub(super) const CHECKS: super::Checks = &[];
