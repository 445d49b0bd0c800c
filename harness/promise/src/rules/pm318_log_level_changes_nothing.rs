//! # `log_level` changes neither results nor effects

pub(super) const CHECKS: super::Checks = &[];
