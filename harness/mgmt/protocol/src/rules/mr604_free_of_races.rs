//! # The resource has no data races
//!
//! ## What it requires
//! Go's race detector finds nothing, in no session of the suite.
//!
//! ## Why
//! `Watch` and `CheckApply` run in different goroutines. What a race makes of a value is not defined.
//!
//! ## How it is judged
//! - Judged: all that the race detector writes, with `stickler check --race`.
//! - Not judged: races between parts of the host.
//!
//! ## Example
//! `Watch` sets a field that `CheckApply` reads, without a mutex.
//!
//! ## How to fix
//! Guard the field with a mutex, or hand it on through a channel.
//!
//! ## Source
//! mgmt's engine: how resources run; the race detector of Go.

use crate::phase;
use crate::races::race;
use crate::relation;
use crate::session::Session;
use stickler_json::Json;
use stickler_judge::{Check, Ledger, Relation};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[
        Relation::USUAL,
        relation::BESIDE,
        relation::WATCHED,
        relation::POLLED,
        relation::GRAPHS,
    ],
    check,
)];

/// How a report of the race detector begins.
const REPORT: &str = "WARNING: DATA RACE";

fn check(session: &Session, ledger: &mut Ledger) {
    let mut opened = session.calls(phase::INITIALIZE);
    let is_watched = opened.any(|call| {
        let answer = call.answer.as_ref();
        answer.and_then(|answer| answer.member("race")) == Some(&Json::Bool(true))
    });
    for call in &session.exchanges {
        let text = String::from_utf8_lossy(&call.errors);
        let races: Vec<String> = text.split(REPORT).skip(1).filter_map(race).collect();
        for race in &races {
            let finding = ledger.finding(call.number, race.clone()).telling();
            ledger.report(finding.graded(call.provenance));
        }
        if is_watched && races.is_empty() && [phase::CHECKAPPLY, phase::WATCH].contains(&call.phase)
        {
            ledger.pass(call.number);
        }
    }
}
