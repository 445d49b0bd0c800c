//! # under `action_policy` warn nothing on the system changes (effects)

pub(super) const CHECKS: super::Checks = &[];
