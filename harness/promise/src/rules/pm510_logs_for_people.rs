//! # below debug, messages are for people: no stack frame of the module, no protocol text (the request's own file and line are fine)

pub(super) const CHECKS: super::Checks = &[];
