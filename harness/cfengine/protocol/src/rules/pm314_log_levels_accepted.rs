//! # Each of the agent's log levels is accepted
//!
//! ## What it requires
//! `log_level` in a request may be `error`, `warning`, `notice`, `info`,
//! `verbose` or `debug`. None of them is a reason for `invalid`, for `error`, or
//! to end.
//!
//! ## Why
//! The level comes from the options of whoever starts the agent, and from
//! `action` bodies. A module that knows only `info` fails the first time that
//! somebody looks closer.
//!
//! ## How it is judged
//! The same promises are validated and evaluated at each level. Reported is a
//! level at which a request is not answered, answered `error`, or answered
//! `invalid` with a message about the level, while at the usual level it is not.
//! Other differences are PM318's matter.
//!
//! ## Example
//! `LEVELS = ["error", "info", "debug"]; LEVELS.index(level)` ends a module at
//! `notice`, cf-agent's usual level.
//!
//! ## Source
//! CFEngine: Custom promise types, "Logging" and "JSON protocol"; the levels are
//! those that cf-agent 3.21.0 sends.

use stickler_judge::{Relation, Role};
use crate::partner::{Comparison, Seen, What};
use crate::session::{Exchange, Session};
use crate::words::contains;
use stickler_judge::{Check, Group, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::Level], check)];

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

/// Is the request refused for its level, as it is not at the usual one?
pub(super) fn refused(_: &Exchange, after: &Exchange, seen: &Seen) -> bool {
    match seen {
        Seen::Same => false,
        Seen::Unanswered(_) => true,
        Seen::Differs(_) => after.is("error") || after.is("invalid") && blames_level(after),
    }
}

/// Does a message say that the level is what is wrong?
fn blames_level(exchange: &Exchange) -> bool {
    let level = exchange
        .request
        .as_ref()
        .and_then(|request| request.log_level.as_deref())
        .unwrap_or_default();
    exchange.logs().any(|(_, message)| {
        let message = message.to_ascii_lowercase();
        // These two are ordinary words as well.
        let named = !matches!(level, b"error" | b"info") && contains(&message, level);
        named || contains(&message, b"level")
    })
}
