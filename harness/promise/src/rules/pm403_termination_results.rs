//! # terminate: `success`, `failure` or `error`

pub(super) const CHECKS: super::Checks = &[];
