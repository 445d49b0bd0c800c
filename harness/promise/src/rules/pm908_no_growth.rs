//! # descriptors don't grow with requests, memory not beyond a stated slope (300 requests and more)

pub(super) const CHECKS: super::Checks = &[];
