//! # `action_policy` with `warn` or `fix` is not rejected; `fix` acts as without it; `nop` changes nothing or is `invalid`

pub(super) const CHECKS: super::Checks = &[];
