//! # an attribute that the promise type doesn't have is `invalid` (random names; `open_attributes` turns it off)

pub(super) const CHECKS: super::Checks = &[];
