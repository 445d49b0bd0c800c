//! # A failure raises, or marks the resource as failed
//!
//! ## What it requires
//! If `set` cannot reach the target of a resource, it raises, or a block of the context fails.
//!
//! ## Why
//! Otherwise the runtime reports a success, and applies the resources that depend on this one.
//!
//! ## How it is judged
//! - Judged: a `set` that misses its target after a call that changes files has failed, or after it
//!   has logged an error.
//! - Judged: a `set` that misses its target while `{dir}` refuses writes, or where something else is in place
//!   of the resource's file.
//! - Judged: a `set` that makes the same of a missing file that the resource names as of an empty one.
//! - Judged: a `set` while commands of `[fake]` fail, if the next run has to set the resource again.
//! - Judged: a `set` while a `[[service]]` that `get` needs is down, if it changes no file.
//! - Not judged: targets that `set` still reaches; resources that leave no trace in this machine's
//!   files.
//!
//! ## Example
//! `rescue SystemCallError => e` followed by `context.err(e.message)`;
//! `system('queuectl', 'set', name)` without a check of its result.
//!
//! ## How to fix
//! Let the exception pass. In 1.8.16, neither `err` nor `failed` marks a resource as failed.
//!
//! ## Source
//! Resource API specification, "Resource implementation", "Logging reference".

use crate::after::afters;
use crate::backends::{commands_fail, one_command_fails};
use crate::inputs::judge_inputs;
use crate::message::Answer;
use crate::phase;
use crate::purpose;
use crate::relation;
use crate::services::judge_sets;
use crate::session::{Call, Session};
use stickler_judge::{Check, Ledger, Relation};
use stickler_reading::command_failed;
use stickler_transcript::Purpose;

pub(super) const CHECKS: super::Checks = &[
    Check::Session(SESSIONS, check),
    Check::Session(&[relation::TARGETS, relation::SERVICES], judge_sets),
    Check::Session(&[Relation::COMMANDS], commands),
    Check::Session(&[Relation::DISTURBED], judge_inputs),
];

/// Commands fail while a resource is set, and work again in the next run.
fn commands(session: &Session, ledger: &mut Ledger) {
    if !commands_fail(session) {
        return;
    }
    let one_fails = one_command_fails(session);
    for (set, answer) in session.calls(phase::SET) {
        // The one that fails may be a question of `get`.
        if one_fails && !command_failed(&session.transcript, set.number) {
            continue;
        }
        let Some(label) = set.key.label().filter(|_| set.key.is(Purpose::EVALUATE)) else {
            continue;
        };
        if set.fails() {
            ledger.pass(set.number);
            continue;
        }
        let later = Purpose::AFTER.of(label);
        let read = session.exchange(&later.part(purpose::READ));
        let read = read.and_then(|read| read.answer.as_ref());
        let is_known = matches!((answer, read), (Answer::Result(_), Some(Answer::Result(_))));
        if is_known {
            let broken = session.exchange(&later).map(|_| {
                "a command fails, but `set` reports no failure, and the next run has to set the resource again"
            });
            ledger.check(set.number, set.provenance, broken);
        }
    }
}

/// Sessions that set resources, and those in which calls fail.
const SESSIONS: &[Relation] = &[
    relation::VALUES,
    relation::FEATURES,
    relation::QUESTIONS,
    relation::UNEXAMPLED,
    relation::CHANGES,
    Relation::WRITE,
    Relation::DISTURBED,
    Relation::IN_THE_WAY,
    Relation::PROTECT,
];

fn check(session: &Session, ledger: &mut Ledger) {
    let is_spoilt = session.is_spoilt();
    let is_hindered =
        |call: &Call| call.failed_write().is_some() || is_spoilt && call.phase == phase::SET;
    let fails = session.exchanges.iter();
    let fails = fails.filter(|call| is_hindered(call) && call.fails());
    for call in fails {
        ledger.pass(call.number);
    }
    for after in afters(session) {
        let logs_error = after.set.events.iter().any(|event| {
            event.kind == "log" && event.name == "err"
                || event.kind == "action" && event.name == "failed"
        });
        let why = match after.set.stopped_at() {
            _ if after.set.failed_write().is_some() => "a system call fails".to_owned(),
            _ if logs_error => "the provider logs an error".to_owned(),
            _ if session.case().protection.is_some() => "the target refuses writes".to_owned(),
            _ if is_spoilt => {
                let item = session.item(after.set);
                let how = item.and_then(|item| item.description.as_deref());
                format!(
                    "its surroundings are disturbed ({})",
                    how.unwrap_or("as planned")
                )
            }
            _ => continue,
        };
        let stays = after.each.iter().find(|one| one.stays);
        let stays = stays.map(|one| format!("{} is still there", one.name.inspect()));
        let missed = after.wrong.map(|wrong| wrong.message).or(stays);
        let broken = missed.map(|missed| format!("{why}, but `set` reports no failure: {missed}"));
        ledger.check(after.set.number, after.set.provenance, broken);
    }
}
