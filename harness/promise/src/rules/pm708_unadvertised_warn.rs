//! # a module that does not advertise it and is sent warn all the same does not change the system

pub(super) const CHECKS: super::Checks = &[];
