//! # json: `log` is a list of objects with string `level` and `message`

pub(super) const CHECKS: super::Checks = &[];
