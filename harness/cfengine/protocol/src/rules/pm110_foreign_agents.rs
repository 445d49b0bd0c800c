//! # The module answers other programs, major versions and later protocols
//!
//! ## What it requires
//! The module sends its header to a program of any name and version, and answers a later
//! protocol with the version that it speaks.
//!
//! ## Why
//! Other agents and test tools use the protocol too. The lower protocol version wins, so a
//! module needs no change when agents learn a new one.
//!
//! ## How it is judged
//! - Judged: sessions that begin with another program, another major version, or the protocol
//!   `v2` or `v9`. The module must send a header whose version is not above the offer.
//! - Judged: a header that repeats the offer `v9`, since nobody speaks that version yet.
//! - Not judged: the version that the module answers to `v1` (PM103).
//!
//! ## Example
//! A module answers `cf-agent 3.21.0 v9` with `git_promise_module 0.0.1 v9 json_based`.
//!
//! ## How to fix
//! Read the agent's header up to the empty line, and ignore what it contains. Always print
//! `v1`; do not copy the version that the agent offers.
//! CFEngine's Python library accepts only agents of version 3. A module that uses it can
//! waive this rule in `stickler.toml`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol header" (it shows the parts of the header by
//! example; the lowest protocol version wins).

use super::pm109_any_agent_version::{offered, refused};
use crate::offer::{Offer, is_usual};
use crate::output::in_time;
use crate::relation;
use crate::session::{Exchange, Session};
use crate::wire::header::ProtocolVersion;
use stickler_judge::{Check, Defect, Group, Ledger, RunPlace, Variant};

/// Nobody speaks this or a later version of the protocol yet.
const FUTURE: u64 = 5;

pub(super) const CHECKS: super::Checks = &[
    Check::Session(&[relation::HEADER], check),
    Check::Group(&[relation::HEADER], compare),
];

/// It promises a version that nobody speaks yet, or one above the offer.
const UNSPOKEN: Variant = Variant::new("unspoken-version");

fn check(session: &Session, ledger: &mut Ledger) {
    if crate::output::is_variant(session, &[relation::HEADER]) {
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
            let place = RunPlace::at(index, exchange.number);
            match broken(exchange) {
                None => ledger.passes.push(place),
                Some(defect) => {
                    let finding = ledger.finding_at(place, defect).graded(exchange.provenance);
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

fn broken(exchange: &Exchange) -> Option<Defect> {
    if let Some(defect) = refused(exchange) {
        return Some(defect);
    }
    let offered_version = Offer::of(exchange).and_then(|offer| offer.number())?;
    let ProtocolVersion::Number(number) = exchange.header()?.protocol_version() else {
        return None;
    };
    if offered_version == 1 {
        // PM103 judges the version that answers today's agents.
        return None;
    }
    let echo = number == offered_version && number >= FUTURE;
    (echo || number > offered_version).then(|| {
        UNSPOKEN.says(format!(
            "the module answers the header `{}` with `v{number}`, a version that it cannot speak",
            offered(exchange)
        ))
    })
}
