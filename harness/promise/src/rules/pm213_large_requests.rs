//! # requests of 64 KiB and 1 MiB are answered, neither truncated nor deadlocked

pub(super) const CHECKS: super::Checks = &[];
