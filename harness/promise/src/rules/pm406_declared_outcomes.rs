//! # the author's examples have the outcomes that the author declared; the author's invalid promises are rejected

pub(super) const CHECKS: super::Checks = &[];
