//! # An evaluation that answers `kept` changes nothing
//!
//! ## What it requires
//! An evaluation that answers `kept` changes nothing; rewriting the same content counts as a
//! change.
//!
//! ## Why
//! `kept` means that there was nothing to do. Hidden changes appear in no log, run no handlers,
//! and wake up whatever watches the files.
//!
//! ## How it is judged
//! - Judged: the changes during each evaluation that answers `kept`, also after the suite
//!   changed the file's layout (blanks at line ends, JSON in another form).
//! - Not judged: new temporary files (PM805); changes elsewhere that a notice announces;
//!   evaluations under warn or nop (PM701, PM707) or with a failing call (PM807); tidying up
//!   after a kill or a failed call; sessions that leave a process (PM309); caches and logs.
//! - Lowered to should: changes outside `{dir}`, at paths not named in the promise; to may: `.git`.
//!
//! ## Example
//! A module writes the file each time, and compares the old content only to choose its
//! answer.
//!
//! ## How to fix
//! Compare first, and write only if the content differs. Do so for mode and owner, too.
//! - Python: `if old == wanted: return "kept"`, with `old` read as bytes.
//! - Shell: `printf '%s\n' "$message" | cmp -s - "$file" && result=kept`
//! - `sed -i`, `cp`, `touch` and `chmod` always change the file: test before you call them.
//!
//! If the write is needed, the answer is `repaired`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" (kept: no change made).

use crate::aftermath::{has_stand_ins, takes_away};
use crate::effects::{Weight, weigh};
use crate::logs::has;
use crate::session::{Exchange, Session};
use crate::temporary::is_own_temporary;
use crate::volatile::renews;
use crate::warn::worst;
use memchr::memmem;
use stickler_judge::{Check, Defect, Ledger, Level, Relation};
use stickler_reading::foreign::is_in_a_store;
use stickler_transcript::{Change, ChangeKind, Trap, TrapKind};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[
        Relation::DRIFT,
        Relation::UNDONE,
        Relation::FIELDS,
        Relation::IN_THE_WAY,
        Relation::UNENDED,
        Relation::LAYOUTS,
        Relation::TEXT,
    ],
    check,
)];

fn check(session: &Session, ledger: &mut Ledger) {
    if !session.left.processes.is_empty() {
        return;
    }
    for exchange in session.evaluations().filter(|exchange| exchange.is("kept")) {
        if matches!(exchange.policy(), Some(b"warn" | b"nop")) {
            continue;
        }
        if exchange.failed_write().is_some() {
            continue;
        }
        let Some(effects) = &exchange.effects else {
            continue;
        };
        let announced = has(exchange, &["notice"]);
        let counted = effects.iter().filter(|change| {
            (!announced || weigh(change, session.case(), exchange) == Weight::Promised)
                && !is_own_temporary(session, change)
                && !takes_away(session, exchange, change)
                && !renews(session, exchange, change)
                && !is_touched_by_stand_in(session, exchange, change)
        });
        match worst(counted, session.case(), exchange) {
            Some((level, Defect { variant, message })) => {
                let in_stores = effects.iter().all(|change| is_in_a_store(&change.path));
                let level = if in_stores { Level::May } else { level };
                let message = format!("`kept`, but it {message}");
                let finding = ledger
                    .finding(exchange.number, variant.says(message))
                    .expected("no change")
                    .at_most(level)
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
            None => ledger.pass(exchange.number),
        }
    }
}

/// May a stand-in for a command, which the author wrote, have touched a file of its own?
fn is_touched_by_stand_in(session: &Session, exchange: &Exchange, change: &Change) -> bool {
    let leads_out = |trap: &Trap| {
        trap.kind == TrapKind::Escape && memmem::find(&change.path, &trap.sign).is_some()
    };
    // PM809 knows which of two wrote where a name leads out.
    let is_led_out = || session.case().traps.iter().any(leads_out);
    has_stand_ins(session)
        && (is_led_out()
            || change.kind == ChangeKind::Rewritten
                && weigh(change, session.case(), exchange) == Weight::Elsewhere)
}
