//! # A provider keeps no state outside its instance
//!
//! ## What it requires
//! A new instance of the provider sees the current system and sets resources in it, whatever other
//! instances have read or done.
//!
//! ## Why
//! The agent runs for weeks, and constructs an instance for each run. The system changes between
//! runs.
//!
//! ## How it is judged
//! - Judged: the rows of a new instance, after another instance has set a resource, or after files
//!   were changed from outside; whether the new instance sets the resource again then. A fresh
//!   process shows the expected behaviour.
//! - Not judged: values of read_only attributes.
//!
//! ## Example
//! `@@rows ||= read_all` in `get`; `return true if @@done[name]` in `insync?`.
//!
//! ## How to fix
//! Keep such values in instance variables: `@rows ||= read_all`, and clear them in `set`.
//!
//! ## Source
//! Resource API specification, "Runtime environment".

use crate::purpose;
use crate::reads::READS;
use crate::rows::{lasting, reads};
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant, View as _};
use stickler_transcript::{Key, Purpose, Variation};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// It sees what is no longer there.
const SEES: Variant = Variant::new("sees");
/// It takes the resource for done.
const KEEPS: Variant = Variant::new("keeps");

fn check(session: &Session, ledger: &mut Ledger) {
    mended(session, ledger);
    let all: Vec<_> = reads(session).collect();
    let keyed = |purpose: Purpose| all.iter().find(|read| read.call.key.is(purpose));
    if let (Some(anew), Some(fresh)) = (keyed(Purpose::ANEW), keyed(purpose::FRESH)) {
        let broken = (lasting(anew) != lasting(fresh))
            .then(|| SEES.says("a new instance returns what an earlier one has seen"));
        ledger.check(anew.call.number, anew.call.provenance, broken);
    }
}

/// The resource is undone from outside, twice: before a new instance, and before a fresh process brings it
/// about.
fn mended(session: &Session, ledger: &mut Ledger) {
    let items = session.case().items.iter();
    let undone = items.filter(|item| item.variation == Some(Variation::Undone));
    let keys: Vec<Key> = undone
        .map(|item| Purpose::EVALUATE.of(&item.label))
        .collect();
    let [again, fresh] = &keys[..] else {
        return;
    };
    let sets_again = session.exchange(fresh).is_some_and(|set| !set.fails());
    let read = session.exchange(&again.part(purpose::READ));
    let read = read.filter(|read| !read.fails() && read.answer.is_some());
    let (true, Some(read)) = (sets_again, read) else {
        return;
    };
    let broken = session.exchange(again).is_none().then(|| {
        KEEPS.says("after it was undone from outside, a fresh process sets the resource again, but a new instance does not")
    });
    ledger.check(read.number, read.provenance, broken);
}
