//! # `terminate` is answered once, in time, with or without `log_level`, also directly after the header; then the module exits

pub(super) const CHECKS: super::Checks = &[];
