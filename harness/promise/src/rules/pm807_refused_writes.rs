//! # where it may not write (read-only, no space, no permission): `not_kept` with an error log, nothing half done, no crash

pub(super) const CHECKS: super::Checks = &[];
