//! # `repaired` changed something that can be seen; judged where the promiser lies in `{dir}`, or the same example had effects in another session

pub(super) const CHECKS: super::Checks = &[];
