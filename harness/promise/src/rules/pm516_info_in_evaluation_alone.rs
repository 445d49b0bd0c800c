//! # info, which tells of changes, comes in evaluation alone

pub(super) const CHECKS: super::Checks = &[];
