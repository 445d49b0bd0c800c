//! Types on this machine whose providers need a service of the description: it stops, and they are
//! asked for the rows, in the same process and in a new one, and for a change.

use crate::altered::{is_removal, properties, removal, values};
use crate::deferred::Deferred;
use crate::requests::{about, deferred, evaluation, get_rows, open, renew};
use crate::shown::Shown;
use puppet_protocol::{phase, purpose};
use puppet_types::Definition;
use std::collections::BTreeSet;
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Key, Purpose, Step};

/// How long a call may wait for a service that is down, in microseconds.
const PATIENCE_US: u64 = 45_000_000;

/// One example of each type: providers may wait long for what is down.
pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    if effort == Effort::Quick || setting.config.services.is_empty() {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let mut cases = Vec::new();
    for item in subjects(setting, effort) {
        let is_known = setting.knowledge.repaired.contains(&item.info.label);
        let Some(definition) = shown.definition(&item.kind) else {
            continue;
        };
        let is_here = item.target.is_none() && !definition.has_feature("remote_resource");
        if is_known && is_here && !is_removal(&item) && seen.insert(item.kind.clone()) {
            cases.push(stopped(shown, setting, &definition, &item));
        }
    }
    cases
}

fn stopped(shown: &Shown, setting: &Setting<'_>, definition: &Definition, item: &Instance) -> Case {
    let label = &item.info.label;
    let mut case = setting.case(format!("service-stopped/{label}"));
    case.setup(item).observing().open().evaluate(item);
    read(shown, &mut case, purpose::UP, item);
    case.step(Step::StopServices).observe("stopped");
    read(shown, &mut case, purpose::DOWN_LOST, item);
    // Once it works again, what went wrong must not count any more.
    let mut process = 1;
    if is_awaited(setting) {
        case.step(Step::RestartServices).observe("restarted");
        renew(&mut case, item);
        read(shown, &mut case, Purpose::ANEW, item);
        case.terminate().start(process).greet();
        open(&mut case, item);
        read(shown, &mut case, purpose::FRESH, item);
        case.step(Step::StopServices).observe("stopped again");
        process += 1;
    }
    case.terminate().start(process).greet();
    open(&mut case, item);
    read(shown, &mut case, purpose::DOWN_FRESH, item);
    let mut altered = properties(definition).flat_map(|one| values(setting, definition, item, one));
    let other = removal(definition, item, 0).or_else(|| altered.next());
    if let Some(other) = other {
        set(&mut case, definition, &other, purpose::UP.of(label));
        read(shown, &mut case, purpose::DOWN_AFTER, item);
    }
    case.terminate().build()
}

/// Is it known when the services are ready?
pub(super) fn is_awaited(setting: &Setting<'_>) -> bool {
    let services = &setting.config.services;
    !services.is_empty() && services.iter().all(|service| service.ready.is_some())
}

/// Reads the rows.
fn read(shown: &Shown, case: &mut CaseBuilder<'_>, purpose: Purpose, item: &Instance) {
    let send = get_rows(shown, case, purpose.of(&item.info.label), item);
    let mut send = about(send, item);
    send.deadline_us = PATIENCE_US;
    case.send(send);
}

/// Changes the resource, whose state is known from before.
fn set(case: &mut CaseBuilder<'_>, definition: &Definition, item: &Instance, read: Key) {
    case.provide(item);
    let mut known = evaluation(case, definition, &purpose::DOWN.into(), item);
    known.rows = Some(read);
    let open = known.open.clone();
    let key = purpose::DOWN_SET.of(&item.info.label);
    let send = deferred(case, phase::SET, key, open, Deferred::Evaluate(known));
    let mut send = about(send, item);
    send.deadline_us = PATIENCE_US;
    case.send(send);
}
