//! What is changed, from outside or by another instance of the provider, seen by a new instance and by a new
//! process.

use crate::requests::{open, read_anew};
use crate::shown::Shown;
use puppet_protocol::purpose;
use stickler_suite::plans::disturbable;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Purpose};

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let all = disturbable(setting, effort).into_iter();
    all.flat_map(|item| {
        [
            Some(done(shown, setting, &item)),
            outside(shown, setting, &item),
        ]
    })
    .flatten()
    .collect()
}

/// What one instance brings about, others see.
fn done(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("done/{}", item.info.label));
    case.setup(item).observing().open().evaluate(item);
    seen(shown, case, item)
}

/// A new instance looks, and so does a new process.
fn seen(shown: &Shown, mut case: CaseBuilder<'_>, item: &Instance) -> Case {
    read_anew(shown, &mut case, Purpose::ANEW, item);
    case.terminate().start(1).greet();
    open(&mut case, item);
    read_anew(shown, &mut case, purpose::FRESH, item);
    case.terminate().build()
}

/// What was set is undone from outside.
fn outside(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Option<Case> {
    let label = &item.info.label;
    let drifts = setting.knowledge.undone.get(label)?;
    let mut case = setting.case(format!("outside/{label}"));
    case.setup(item)
        .observing()
        .open()
        .evaluate(item)
        .drifts(drifts)
        .observe("undone");
    Some(seen(shown, case, item))
}
