//! # what validated is evaluated without `error` and without crash

pub(super) const CHECKS: super::Checks = &[];
