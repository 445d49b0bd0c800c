//! # nothing of one promise (attributes, results, classes, logs) shows up in another's outcome

pub(super) const CHECKS: super::Checks = &[];
