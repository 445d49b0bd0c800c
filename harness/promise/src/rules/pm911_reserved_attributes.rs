//! # the module's own attributes are none that the agent keeps to itself (those of AG105)

pub(super) const CHECKS: super::Checks = &[];
