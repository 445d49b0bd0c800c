//! # log levels are critical, error, warning, notice, info, verbose, debug; an echoed `log_level=` line is a log of level "level" and ends the agent

pub(super) const CHECKS: super::Checks = &[];
