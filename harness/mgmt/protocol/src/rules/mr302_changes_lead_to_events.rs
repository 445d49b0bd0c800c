//! # Each change from outside leads to an event
//!
//! ## What it requires
//! If something outside makes the state wrong while `Watch` runs, an event follows.
//!
//! ## Why
//! Without an event, the engine does not look again. "Resources which can miss events are
//! incorrect", says the guide.
//!
//! ## How it is judged
//! - Judged: what the resource made is undone from outside, long after the start; an event within
//!   three seconds.
//! - Not judged: a change after which the next `CheckApply` says that nothing was wrong.
//!
//! ## Example
//! `Watch` watches the file itself, and not its folder: when the file is removed and made again, it
//! sees nothing.
//!
//! ## How to fix
//! Watch what can change: for a file, its folder and those above it.
//!
//! ## Source
//! mgmt resource guide, "Watch".

use crate::reads::WATCHES;
use crate::session::Session;
use crate::watched::{came, watched};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(WATCHES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for watch in watched(session) {
        let noticed = watch.noticed().filter(|noticed| !watch.is_early(noticed));
        let Some(noticed) = noticed.filter(|_| watch.ended_early().is_none()) else {
            continue;
        };
        let broken = (came(noticed).as_deref() == Some("nothing"))
            .then_some("what was undone from outside leads to no event within three seconds");
        ledger.check(noticed.number, noticed.provenance, broken);
    }
}
