//! # json: an attribute that is a list or an object where text is expected is answered `valid` or `invalid`: no `error`, crash or hang (if `valid`, PM405 holds)

pub(super) const CHECKS: super::Checks = &[];
