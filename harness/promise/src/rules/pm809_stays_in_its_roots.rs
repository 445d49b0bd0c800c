//! # `..` and links in values do not lead effects outside the roots of the untrapped run

pub(super) const CHECKS: super::Checks = &[];
