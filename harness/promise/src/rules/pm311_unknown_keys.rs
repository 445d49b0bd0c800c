//! # keys that it doesn't know (`filename`, `line_number`, later ones) are tolerated, in any order

pub(super) const CHECKS: super::Checks = &[];
