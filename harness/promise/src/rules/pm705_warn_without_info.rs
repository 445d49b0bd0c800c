//! # warn sends no info log

pub(super) const CHECKS: super::Checks = &[];
