//! # Other programs, major versions and later protocols are answered too
//!
//! ## What it requires
//! A module sends its header to a program of any name and version. Offered a
//! later protocol than it knows, it answers the version that it speaks.
//!
//! ## Why
//! Other agents and test tools speak the protocol as well. The lower protocol
//! version wins, so that a module needs no change when agents learn a new one.
//!
//! ## How it is judged
//! A session begins with each of several such headers. The module has to send a
//! header. Its version is not above the one offered, and not `v9` only because
//! that was offered: there is no such version to speak. What it answers to `v1`
//! is PM103. This is advice.
//!
//! ## Example
//! ```text
//! → cf-agent 3.21.0 v9
//! ← git_promise_module 0.0.1 v9 json_based
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header" (the parts of the header
//! are given by example; the lowest protocol version wins).

use stickler_judge::{Relation};
use super::pm109_any_agent_version::{offered, refused};
use crate::offer::{Offer, is_usual};
use crate::output::in_time;
use crate::session::{Exchange, Session};
use crate::wire::header::ProtocolVersion;
use stickler_judge::{Check, Group, Ledger, Place};

/// From this version on nobody can speak a protocol yet.
const FUTURE: u64 = 5;

pub(super) const CHECKS: super::Checks =
    &[Check::Session(check), Check::Group(&[Relation::Header], compare)];

fn check(session: &Session, ledger: &mut Ledger) {
    if crate::output::is_variant(session, &[Relation::Header]) {
        return;
    }
    for exchange in session.headers().filter(|exchange| ours(session, exchange)) {
        ledger.check(exchange.number, exchange.provenance, broken(exchange));
    }
}

fn compare(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let answered = |baseline: &Session| {
        baseline
            .headers()
            .any(|header| in_time(header) && refused(header).is_none())
    };
    if !group
        .baseline()
        .is_some_and(|(_, baseline)| answered(baseline))
    {
        return;
    }
    for (_, index, variant) in group.variants() {
        for exchange in variant.headers().filter(|exchange| ours(variant, exchange)) {
            let place = Place {
                session: index,
                exchange: Some(exchange.number),
            };
            match broken(exchange) {
                None => ledger.passes.push(place),
                Some(message) => {
                    let finding = ledger
                        .finding_at(place, message)
                        .graded(exchange.provenance);
                    ledger.report(finding);
                }
            }
        }
    }
}

fn ours(session: &Session, exchange: &Exchange) -> bool {
    exchange.owed
        && !is_usual(session, exchange)
        && Offer::of(exchange).is_some_and(|offer| !offer.is_agent())
}

fn broken(exchange: &Exchange) -> Option<String> {
    if let Some(message) = refused(exchange) {
        return Some(message);
    }
    let offered_version = Offer::of(exchange).and_then(|offer| offer.number())?;
    let ProtocolVersion::Number(number) = exchange.header()?.protocol_version() else {
        return None;
    };
    if offered_version == 1 {
        // Too high a version for today's agents is PM103's matter.
        return None;
    }
    let echo = number == offered_version && number >= FUTURE;
    (echo || number > offered_version).then(|| {
        format!(
            "to the header `{}` the module answers `v{number}`, which it cannot speak",
            offered(exchange)
        )
    })
}
