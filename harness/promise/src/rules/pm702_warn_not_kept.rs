//! # warn, change needed (the paired normal run repairs): `not_kept` with a warning log

pub(super) const CHECKS: super::Checks = &[];
