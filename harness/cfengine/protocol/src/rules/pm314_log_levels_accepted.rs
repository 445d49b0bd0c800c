//! # The module accepts each of the agent's log levels
//!
//! ## What it requires
//! `log_level` may be `error`, `warning`, `notice`, `info`, `verbose` or `debug`, and none of
//! them makes a request fail.
//!
//! ## Why
//! The level comes from the agent's options and from `action` bodies. A module that knows only
//! `info` fails as soon as somebody investigates a problem.
//!
//! ## How it is judged
//! - Judged: the same promises at each level: no answer, `error`, or `invalid` with a message
//!   about the level, where the usual level gives another outcome.
//! - Not judged: other differences between levels (PM318).
//!
//! ## Example
//! `LEVELS = ["error", "info", "debug"]; LEVELS.index(level)` ends a module at `notice`,
//! cf-agent's usual level.
//!
//! ## How to fix
//! Accept all names, and treat an unknown one as `info`:
//! - Python:
//!   `LEVELS = ["critical", "error", "warning", "notice", "info", "verbose", "debug"]`, then
//!   `LEVELS.index(level if level in LEVELS else "info")`
//! - Shell: `case $log_level in verbose | debug) talkative=yes ;; *) talkative= ;; esac`
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging" and "JSON protocol"; the levels are those that
//! cf-agent sends.

use crate::partner::{Comparison, Seen, What};
use crate::relation;
use crate::session::{Exchange, Session};
use crate::words::contains;
use stickler_judge::Role;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[relation::LEVEL], check)];

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    for (_, index, variant) in group.variants().filter(|variant| *variant.0 != Role::Again) {
        Comparison {
            what: What::Level,
            counts: &refused,
            effects: false,
            ..Comparison::of("")
        }
        .judge(group, (index, variant), ledger);
    }
}

/// Is the request refused at this level, but not at the usual one?
pub(super) fn refused(_: &Exchange, after: &Exchange, seen: &Seen) -> bool {
    match seen {
        Seen::Same => false,
        Seen::Unanswered(_) => true,
        Seen::Differs(_) => after.is("error") || after.is("invalid") && blames_level(after),
    }
}

/// Does a log message blame the level?
fn blames_level(exchange: &Exchange) -> bool {
    let level = exchange
        .request
        .as_ref()
        .and_then(|request| request.log_level.as_deref())
        .unwrap_or_default();
    exchange.logs().any(|(_, message)| {
        let message = message.to_ascii_lowercase();
        // These two names are also ordinary words.
        let named = !matches!(level, b"error" | b"info") && contains(&message, level);
        named || contains(&message, b"level")
    })
}
