//! # names are class identifiers already (`[A-Za-z0-9_]+`, an optional `namespace:`); the agent canonifies others

pub(super) const CHECKS: super::Checks = &[];
