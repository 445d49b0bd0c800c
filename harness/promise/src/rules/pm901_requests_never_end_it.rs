//! # no well-formed request of the three operations ends the module

pub(super) const CHECKS: super::Checks = &[];
