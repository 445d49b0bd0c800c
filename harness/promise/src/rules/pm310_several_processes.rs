//! # can be started again, and several processes of it may run at once (on different promisers)

pub(super) const CHECKS: super::Checks = &[];
