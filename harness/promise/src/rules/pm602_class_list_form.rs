//! # json: a list of strings; line: names parted by commas without blanks

pub(super) const CHECKS: super::Checks = &[];
