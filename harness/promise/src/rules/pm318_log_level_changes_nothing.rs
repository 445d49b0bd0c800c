//! # The log level changes neither results nor effects
//!
//! ## What it requires
//! At each `log_level` a promise has the same results, result classes and
//! effects. The level only says which messages the agent wants to show.
//!
//! ## Why
//! Whoever looks closer at a problem changes nothing but the level. A module that
//! then does something else cannot be looked at.
//!
//! ## How it is judged
//! The same promises are validated and evaluated at each level, and compared with
//! the usual level. What differs between two runs at one level is left out. A
//! level that is refused altogether is PM314's matter, a log message that is left
//! out at a level PM503's or PM504's.
//!
//! ## Example
//! At `debug` a module only says what it would do, and answers `kept`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging" and "Results".

use crate::partner::{Comparison, What};
use crate::session::Session;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&["level"], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (_, index, variant) in group.variants().filter(|variant| variant.0 != "again") {
        Comparison {
            what: What::Level,
            counts: |before, after, seen| {
                !super::pm314_log_levels_accepted::refused(before, after, seen)
            },
            ..Comparison::of("")
        }
        .judge(group, (index, variant), ledger);
    }
}
