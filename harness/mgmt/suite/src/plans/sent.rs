//! What a resource sends: looked at after each call, and once more later.

use crate::requests::{calls, describe, simple};
use crate::shown::Shown;
use mgmt_protocol::{phase, purpose};
use serde_json::json;
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting, Spoil};
use stickler_transcript::{Bytes, Case, Purpose, Step};

/// How long what goes on behind a call is given before what was sent is read for the last time, in microseconds.
const LATER: u64 = 100_000;
/// When the context of a call ends that does not work, in milliseconds.
const CUT: u64 = 20_000;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut items = subjects(setting, effort);
    items.retain(|item| shown.has_trait(&item.kind, "sendable"));
    items.iter().map(|item| one(setting, item)).collect()
}

fn one(setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("sent/{}", item.info.label));
    let dry = item.looked_at();
    case.setup(item).observing().open();
    describe(&mut case, &item.kind);
    case.validate(item);
    case.evaluate_as(Purpose::DRY_EVALUATE, Purpose::VALIDATE, &dry);
    case.evaluate(item);
    looks(&mut case, item, 1);
    case.evaluate_as(Purpose::LOOK, Purpose::VALIDATE, &dry);
    case.evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, item);
    looks(&mut case, item, 2);
    case.evaluate_as(Purpose::LOOK.turn(2), Purpose::VALIDATE, &dry);
    looks(&mut case, item, 3);
    // What goes on behind a call has had its time by then.
    case.step(Step::Pause { us: LATER });
    looks(&mut case, item, 4);
    fails(setting, &mut case, &dry);
    case.terminate().build()
}

/// Calls that send nothing, since they cannot work: what was sent before is still what receivers hold.
fn fails(setting: &Setting<'_>, case: &mut CaseBuilder<'_>, dry: &Instance) {
    let label = &dry.info.label;
    let ended = json!({ "cancel_ms": 0, "ended": true });
    calls(case, purpose::UNSENT.turn(1).of(label), dry, &ended);
    let made = setting.knowledge.made_by(label);
    let file = made.first().filter(|_| setting.sandboxed);
    if let Some(file) = file {
        let script = "rm -f -- \"$1\" && mkdir -- \"$1\"";
        let words = [b"/bin/sh".as_slice(), b"-c", script.as_bytes(), b"sh", file];
        let words = words.map(Bytes::from).into();
        case.spoil(&Spoil::Command(words), true).observe("blocked");
        let cut = json!({ "cancel_ms": CUT });
        calls(case, purpose::UNSENT.turn(2).of(label), dry, &cut);
    }
}

/// Reads what was sent last.
fn looks(case: &mut CaseBuilder<'_>, item: &Instance, turn: usize) {
    let label = &item.info.label;
    let key = purpose::SENT.turn(turn).of(label);
    simple(case, phase::SENT, key, Some(purpose::INIT.of(label)), item);
}
