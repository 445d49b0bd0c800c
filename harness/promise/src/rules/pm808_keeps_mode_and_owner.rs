//! # a file that it replaces keeps the unusual mode and owner that it had, where no attribute names one

pub(super) const CHECKS: super::Checks = &[];
