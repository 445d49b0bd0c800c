//! # a log message has no control characters but TAB; raw LF, NUL or invalid UTF-8 in it break the framing and are PM203, PM205 or PM210

pub(super) const CHECKS: super::Checks = &[];
