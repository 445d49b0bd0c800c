//! # no class name empty, none twice

pub(super) const CHECKS: super::Checks = &[];
