//! # one process serves several promise types (`promise_types`), their requests interleaved

pub(super) const CHECKS: super::Checks = &[];
