//! # Without the feature, warn changes nothing either
//!
//! ## What it requires
//! A module that does not advertise `action_policy`, and is sent a promise with
//! `action_policy` warn all the same, does not change the system. To call the
//! promise `invalid` is the simplest way.
//!
//! ## Why
//! Somebody asked for no changes. Agents do not send such requests to such
//! modules today; a module that ignores the attribute relies on that.
//!
//! ## How it is judged
//! A promise is sent with `warn` to a module whose header lacks the flag. The
//! specification leaves the case to the agent, so this is advice.
//!
//! ## Example
//! A module passes over attributes that it does not know, and so over this one.
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy" (it would be unsafe to
//! evaluate such promises).

use crate::phase;
use crate::session::{Exchange, Session};
use crate::warn::worst;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let warned = session
        .exchanges
        .iter()
        .filter(|exchange| exchange.warns() && !session.process(exchange).action_policy);
    for exchange in warned {
        match exchange.phase {
            // Not accepted, so not evaluated.
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
        Some((level, words)) => {
            let finding = ledger
                .finding(
                    exchange.number,
                    format!("sent warn without having advertised `action_policy`, it {words}"),
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
