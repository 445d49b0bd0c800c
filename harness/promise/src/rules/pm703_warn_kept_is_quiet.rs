//! # warn, nothing to do: `kept`, with verbose and debug logs alone

pub(super) const CHECKS: super::Checks = &[];
