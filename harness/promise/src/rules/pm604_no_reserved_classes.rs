//! # no hard or reserved class (`any`, an operating system's) is defined

pub(super) const CHECKS: super::Checks = &[];
