//! # `kept` has no info, error or critical log (warning and notice may stand)

pub(super) const CHECKS: super::Checks = &[];
