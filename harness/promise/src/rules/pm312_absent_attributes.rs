//! # a request without `attributes` is a promise without attributes

pub(super) const CHECKS: super::Checks = &[];
