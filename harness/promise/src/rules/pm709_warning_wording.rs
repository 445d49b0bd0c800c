//! # the warning says what should be done, "but only warnings promised" (or "warning promised")

pub(super) const CHECKS: super::Checks = &[];
