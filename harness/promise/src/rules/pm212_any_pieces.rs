//! # a request may arrive in any pieces, at any pace, without changing the answer

pub(super) const CHECKS: super::Checks = &[];
