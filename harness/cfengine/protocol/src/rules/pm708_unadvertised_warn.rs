//! # A module that does not advertise `action_policy` changes nothing under warn
//!
//! ## What it requires
//! If a module that does not advertise `action_policy` still gets a promise with
//! `action_policy` warn, it does not change the system.
//!
//! ## Why
//! Somebody asked for no changes. Agents do not send such requests today, but a module that
//! ignores the attribute depends on that.
//!
//! ## How it is judged
//! - Judged: promises with `warn`, sent to a module whose header lacks the flag. A validation
//!   that answers `invalid` or `error` passes, and so does an evaluation without changes.
//!
//! ## Example
//! A module ignores attributes that it does not know, and so ignores `action_policy`.
//!
//! ## How to fix
//! Answer `invalid`, with an error log, to unknown attributes (PM907). Or implement `warn`
//! (PM701), and add `action_policy` to the header's flags.
//! CFEngine's Python library rejects unknown attributes once the module declares its own with
//! `add_attribute`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy" (it is unsafe to evaluate such promises).

use crate::phase;
use crate::session::{Exchange, Session};
use crate::warn::worst;
use stickler_judge::{Check, Ledger, Relation};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[Relation::WARN], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let warned = session
        .exchanges
        .iter()
        .filter(|exchange| exchange.warns() && !session.process(exchange).action_policy);
    for exchange in warned {
        match exchange.phase {
            // The module rejects the promise, so the agent does not evaluate it.
            phase::VALIDATE if exchange.is("invalid") || exchange.is("error") => {
                ledger.pass(exchange.number);
            }
            phase::EVALUATE => evaluation(session, exchange, ledger),
            _ => {}
        }
    }
}

fn evaluation(session: &Session, exchange: &Exchange, ledger: &mut Ledger) {
    let Some(effects) = &exchange.effects else {
        return;
    };
    match worst(effects.iter(), session.case(), exchange) {
        Some((level, effect)) => {
            let finding = ledger
                .finding(
                    exchange.number,
                    format!(
                        "without `action_policy` in the header, an evaluation under warn {}",
                        effect.message
                    ),
                )
                .expected("invalid, or no change")
                .at_most(level)
                .graded(exchange.provenance);
            ledger.report(finding);
        }
        None if exchange.result().is_some() => ledger.pass(exchange.number),
        None => {}
    }
}
