//! # `repaired` comes with an info log, also where `log_level` asks for less

pub(super) const CHECKS: super::Checks = &[];
