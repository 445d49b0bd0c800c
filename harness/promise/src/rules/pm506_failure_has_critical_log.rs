//! # terminate `failure` comes with a critical log

pub(super) const CHECKS: super::Checks = &[];
