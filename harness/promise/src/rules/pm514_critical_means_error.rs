//! # critical logs come only with `error` or `failure`

pub(super) const CHECKS: super::Checks = &[];
