//! # line: a line without `=` is refused, not ignored

pub(super) const CHECKS: super::Checks = &[];
