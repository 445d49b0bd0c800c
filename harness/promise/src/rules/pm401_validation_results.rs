//! # validate: `valid`, `invalid` or `error`

pub(super) const CHECKS: super::Checks = &[];
