//! # every log message has text; `valid` has no error or critical log

pub(super) const CHECKS: super::Checks = &[];
