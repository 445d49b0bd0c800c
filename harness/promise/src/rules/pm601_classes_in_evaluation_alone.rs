//! # `result_classes` only in responses to evaluate

pub(super) const CHECKS: super::Checks = &[];
