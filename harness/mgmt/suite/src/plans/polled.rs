//! A resource without `Watch`, as the engine runs it when it polls, and the same with it.

use super::spoilt::SETTLING;
use super::watch::spoiled;
use crate::requests::{ask_about, begin, calls, cleanup};
use crate::watching::Watching;
use mgmt_protocol::{phase, purpose};
use serde_json::json;
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting, Spoil};
use stickler_transcript::{Case, Purpose, Step};

/// Before anything is known: what hangs without `Watch` leaves no time for this later.
pub(super) fn first(setting: &Setting<'_>) -> Vec<Case> {
    let items = subjects(setting, Effort::Normal);
    let items = items.iter().filter(|item| item.info.original);
    items
        .map(|item| one(setting, item, "polled-first"))
        .collect()
}

/// Once it is known what undoes the examples.
pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut items = subjects(setting, effort);
    let known = &setting.knowledge.undone;
    items.retain(|item| known.contains_key(&item.info.label));
    items
        .iter()
        .map(|item| one(setting, item, "polled"))
        .collect()
}

fn one(setting: &Setting<'_>, item: &Instance, family: &str) -> Case {
    let label = &item.info.label;
    // What never worked has left nothing that could be undone.
    let how = spoiled(setting, item).into_iter().next();
    let spoils = |case: &mut CaseBuilder<'_>| {
        if let Some(how) = &how {
            case.spoil(how, true);
            if matches!(how, Spoil::Command(_)) {
                case.step(Step::Pause { us: SETTLING });
            }
        }
        case.observe("drift");
    };
    let mut case = setting.case(format!("{family}/{label}"));
    case.setup(item).observing().open();
    let begun = begin(&mut case, item);
    let params = json!({ "resource": &**label, "meta": { "poll": 1 } });
    ask_about(
        &mut case,
        phase::META,
        purpose::META.of(label),
        Some(begun),
        item,
        &params,
    );
    works(&mut case, item, 1);
    spoils(&mut case);
    works(&mut case, item, 2);
    cleanup(&mut case, label);
    case.terminate();
    // The same with `Watch`, in a process of its own.
    spoils(&mut case);
    case.start(1).greet();
    let begun = begin(&mut case, item);
    let mut watch = Watching::new(&mut case, item, begun, 0);
    watch.starts(false);
    watch.acks();
    works(watch.case, item, 3);
    watch.ends();
    case.terminate().build()
}

/// An apply and a look.
fn works(case: &mut CaseBuilder<'_>, item: &Instance, turn: usize) {
    let label = &item.info.label;
    let more = json!({});
    calls(case, Purpose::EVALUATE.turn(turn).of(label), item, &more);
    calls(
        case,
        Purpose::LOOK.turn(turn).of(label),
        &item.looked_at(),
        &more,
    );
}
