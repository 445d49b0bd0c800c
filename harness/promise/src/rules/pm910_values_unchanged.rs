//! # values arrive unchanged inside: `=` (also last), backslashes, `$`, quotes, `%`, commas, in json also newlines and tabs; lists keep their order; judged where the value was seen verbatim in an untrapped run (echo, log, effect)

pub(super) const CHECKS: super::Checks = &[];
