//! # each of the agent's log levels (error … debug) is accepted as `log_level`

pub(super) const CHECKS: super::Checks = &[];
