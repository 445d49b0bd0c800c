//! # raw control bytes and invalid UTF-8, which agents do send, don't end the module

pub(super) const CHECKS: super::Checks = &[];
