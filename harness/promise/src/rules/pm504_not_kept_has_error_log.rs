//! # `not_kept` comes with an error log (a warning under action policy warn)

pub(super) const CHECKS: super::Checks = &[];
