//! # `attributes`, where echoed, are the request's (libraries convert them)

pub(super) const CHECKS: super::Checks = &[];
