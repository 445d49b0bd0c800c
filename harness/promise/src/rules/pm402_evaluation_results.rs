//! # evaluate: `kept`, `repaired`, `not_kept` or `error`; never `valid` or `invalid`

pub(super) const CHECKS: super::Checks = &[];
