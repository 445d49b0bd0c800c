//! # killed at any message boundary or in the middle of an evaluation, a second run still reaches `repaired` or `kept` and the same end state

pub(super) const CHECKS: super::Checks = &[];
