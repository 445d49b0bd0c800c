//! # warn and a normal run agree: what warn calls `not_kept`, a normal run repairs or fails; what warn calls `kept`, it keeps

pub(super) const CHECKS: super::Checks = &[];
