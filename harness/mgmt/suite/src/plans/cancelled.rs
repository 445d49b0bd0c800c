//! `CheckApply` whose context ends, or during which `Interrupt` is called.

use crate::requests::{begin, calls, simple};
use crate::shown::Shown;
use mgmt_protocol::{phase, purpose};
use serde_json::json;
use stickler_suite::plans::subjects;
use stickler_suite::{Effort, Instance, Setting};
use stickler_transcript::Case;

/// When a context ends, in milliseconds after the start: at once, and in the middle of what takes long.
const MOMENTS: [u64; 2] = [1, 50];

/// How long a slow command takes, in seconds: longer than a call may go on after its context has ended.
const SECONDS: u32 = 3;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for item in subjects(setting, effort) {
        if !shown.ends_with_init {
            cases.push(cancelled(setting, &item));
            cases.extend(slow(setting, &item));
        }
        if shown
            .kind(&item.kind)
            .is_some_and(|kind| kind.has_method("Interrupt"))
        {
            cases.push(interrupted(setting, &item));
        }
    }
    cases
}

fn cancelled(setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("cancelled/{}", item.info.label));
    case.setup(item).observing();
    for (process, ms) in MOMENTS.into_iter().enumerate() {
        case.start(process).greet();
        let key = purpose::CANCELLED.turn(process + 1).of(&item.info.label);
        calls(&mut case, key, item, &json!({ "cancel_ms": ms }));
        case.terminate();
    }
    case.build()
}

/// A context that ends while a command takes its time.
fn slow(setting: &Setting<'_>, item: &Instance) -> Option<Case> {
    if setting.config.fakes.is_empty() || !item.info.original {
        return None;
    }
    let mut case = setting.case(format!("cancelled-slow/{}", item.info.label));
    case.setup(item).slow_fakes(SECONDS).observing().open();
    let key = purpose::CANCELLED.of(&item.info.label);
    calls(&mut case, key, item, &json!({ "cancel_ms": MOMENTS[1] }));
    Some(case.terminate().build())
}

fn interrupted(setting: &Setting<'_>, item: &Instance) -> Case {
    let label = &item.info.label;
    let mut case = setting.case(format!("interrupted/{label}"));
    case.setup(item).observing().open();
    let key = purpose::INTERRUPTED.of(label);
    calls(&mut case, key, item, &json!({ "interrupt_ms": 50 }));
    case.terminate().start(1).greet();
    // Nothing runs that could be interrupted.
    let begun = begin(&mut case, item);
    let key = purpose::INTERRUPT.of(label);
    simple(&mut case, phase::INTERRUPT, key, Some(begun), item);
    case.terminate().build()
}
