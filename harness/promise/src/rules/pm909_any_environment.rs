//! # results and contents are the same under LANG=C, C.UTF-8 and unset, with HOME unset, a minimal PATH, another cwd, another umask

pub(super) const CHECKS: super::Checks = &[];
