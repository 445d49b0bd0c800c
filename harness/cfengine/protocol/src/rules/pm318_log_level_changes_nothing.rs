//! # The log level changes neither results nor effects
//!
//! ## What it requires
//! At each `log_level`, a promise has the same results, result classes and effects.
//!
//! ## Why
//! To investigate a problem, people change nothing but the level. If the module then acts
//! differently, they cannot observe the problem.
//!
//! ## How it is judged
//! - Judged: the same promises validated and evaluated at each level, compared with the usual
//!   level.
//! - Not judged: what differs between two runs at one level, or changes if asked again
//!   (PM404).
//! - Not judged: a level that the module refuses (PM314); a log message that is missing at a
//!   level (PM503, PM504).
//!
//! ## Example
//! At `debug` a module only logs what it would do, and answers `kept`.
//!
//! ## How to fix
//! Read `log_level` only in the function that sends messages. It may leave out `verbose` and
//! `debug` messages, and nothing else (PM503). Never put work into a branch for a level.
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging" and "Results".

use super::pm314_log_levels_accepted::refused;
use crate::partner::{Comparison, Seen, What, seen};
use crate::relation;
use crate::session::{Exchange, Session};
use stickler_judge::Role;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[relation::LEVEL], check)];

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

/// Does the level cause the difference? If one session repeats a request at several
/// levels, a difference that stays may come from the repetition (PM404).
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
