//! # nothing in a promiser, an attribute's value or an attribute's name is executed (shell, eval, template, format string): canaries; attributes that are meant to be run are declared with `executes`

pub(super) const CHECKS: super::Checks = &[];
