//! # There are few events without a cause
//!
//! ## What it requires
//! In a second in which nothing changes outside, `Watch` sends no event.
//!
//! ## Why
//! Each event is a call of `CheckApply`, on each host, for nothing.
//!
//! ## How it is judged
//! - Judged: a second that begins when the repair of the resource itself has settled.
//!
//! ## Example
//! `Watch` sends an event at each tick of a timer.
//!
//! ## How to fix
//! Compare with what was seen last, and send an event only if something differs.
//!
//! ## Source
//! mgmt resource guide, "Watch".

use crate::purpose;
use crate::relation;
use crate::session::Session;
use crate::watched::came;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::WATCHED], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session
        .exchanges
        .iter()
        .filter(|call| call.key.turn_of(purpose::QUIET).is_some())
    {
        match came(call).as_deref() {
            Some("nothing") => ledger.pass(call.number),
            Some("event") => {
                let finding = ledger.finding(
                    call.number,
                    "an event comes in a second in which nothing changes",
                );
                ledger.report(finding.graded(call.provenance));
            }
            _ => {}
        }
    }
}
