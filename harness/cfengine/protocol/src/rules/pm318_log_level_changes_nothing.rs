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

use stickler_judge::{Relation, Role};
use super::pm314_log_levels_accepted::refused;
use crate::partner::{Comparison, Seen, What, seen};
use crate::session::{Exchange, Session};
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::Level], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (_, index, variant) in group.variants().filter(|variant| *variant.0 != Role::Again) {
        Comparison {
            what: What::Level,
            counts: &|before, after, seen| {
                !refused(before, after, seen) && is_of_level(before, after, variant)
            },
            ..Comparison::of("")
        }
        .judge(group, (index, variant), ledger);
    }
}

/// Is it the level that makes the difference? Where one session asks the same at
/// level after level, a difference that came to stay may be one of asking again
/// (PM404).
fn is_of_level(before: &Exchange, after: &Exchange, variant: &Session) -> bool {
    let same = |other: &&Exchange| other.key == after.key && other.process == after.process;
    let first = !variant
        .exchanges
        .iter()
        .filter(same)
        .any(|other| other.number < after.number);
    let passes = variant
        .exchanges
        .iter()
        .filter(same)
        .any(|other| other.number > after.number && seen(before, other) == Some(Seen::Same));
    first || passes
}
