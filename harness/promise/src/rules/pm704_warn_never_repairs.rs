//! # warn never answers `repaired`

pub(super) const CHECKS: super::Checks = &[];
