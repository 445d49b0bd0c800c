//! # (`beyond`; a false success is S, all else Y) json: broken JSON or a message that is no object is not answered `valid`, `kept` or `repaired`; an empty or broken message never hangs the module

pub(super) const CHECKS: super::Checks = &[];
