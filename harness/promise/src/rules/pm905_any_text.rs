//! # any UTF-8 text is carried unchanged (beyond the BMP, combining, U+2028, escaped surrogate pairs)

pub(super) const CHECKS: super::Checks = &[];
