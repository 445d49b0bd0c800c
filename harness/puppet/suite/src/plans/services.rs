//! Types on this machine whose providers need a service of the description: it stops, and they are
//! asked for the rows, in the same process and in a new one, and for a change.

use crate::altered::{is_removal, properties, removal, values};
use crate::dialect::{ResourceApi, ask, open, words};
use crate::resource;
use puppet_protocol::phase;
use puppet_types::{Behaviour, Definition, Value};
use std::collections::BTreeSet;
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Step};

/// How long a call may wait for a service that is down, in microseconds.
const PATIENCE_US: u64 = 45_000_000;

/// One example of each type: providers may wait long for what is down.
pub(super) fn cases(dialect: &ResourceApi, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    if effort == Effort::Quick || setting.config.services.is_empty() {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let mut cases = Vec::new();
    for item in subjects(setting, effort) {
        let is_known = setting.knowledge.repaired.contains(&item.info.label);
        let Some(definition) = dialect.definition(&item.kind) else {
            continue;
        };
        let is_here = item.target.is_none() && !definition.has_feature("remote_resource");
        if is_known && is_here && !is_removal(&item) && seen.insert(item.kind.clone()) {
            cases.push(stopped(setting, &definition, &item));
        }
    }
    cases
}

fn stopped(setting: &Setting<'_>, definition: &Definition, item: &Instance) -> Case {
    let label = &item.info.label;
    let mut case = setting.case(format!("service-stopped/{label}"));
    case.setup(item).observing().open().evaluate(item);
    read(&mut case, "up", item);
    case.step(Step::StopServices).observe("stopped");
    read(&mut case, "down-lost", item);
    case.terminate().start(1).greet();
    open(&mut case, item);
    read(&mut case, "down-fresh", item);
    let mut altered = properties(definition).flat_map(|one| values(setting, definition, item, one));
    let other = removal(definition, item, 0).or_else(|| altered.next());
    if let Some(other) = other {
        set(&mut case, definition, &other, &format!("up:{label}"));
        read(&mut case, "down-after", item);
    }
    case.terminate().build()
}

/// Reads all rows.
fn read(case: &mut CaseBuilder<'_>, key: &str, item: &Instance) {
    let key = format!("{key}:{}", item.info.label);
    let mut send = ask(case, phase::GET, key, item, Value::hash([]), Vec::new());
    send.item = Some(item.info.label.clone());
    send.deadline_us = PATIENCE_US;
    case.send(send);
}

/// Changes the resource, whose state is known from before.
fn set(case: &mut CaseBuilder<'_>, definition: &Definition, item: &Instance, read: &str) {
    case.provide(item);
    let label = &item.info.label;
    let should = resource::target(definition, item);
    let mut plan = Vec::new();
    if definition.has_feature("canonicalize") {
        let key = format!("down-canonical:{label}");
        let params = Value::hash([("resources", Value::Array(vec![should.clone()]))]);
        let phase = phase::CANONICALIZE;
        let send = ask(case, phase, key.clone(), item, params, Vec::new());
        case.send(send);
        plan.push(("canonicalize", Value::string(key)));
    }
    let compared = definition.attributes.iter();
    let compared =
        compared.filter(|one| matches!(one.behaviour, Behaviour::Property | Behaviour::InitOnly));
    let names: Vec<&str> = compared.map(|one| &*one.name).collect();
    plan.extend([
        ("namevars", words(&definition.namevars())),
        ("should", should),
        ("get", Value::string(read)),
        ("properties", words(&names)),
        ("ensurable", Value::Bool(definition.is_ensurable())),
    ]);
    let noop = definition.has_feature("supports_noop");
    let params = Value::hash(noop.then_some(("noop", Value::Bool(false))));
    let key = format!("down-set:{label}");
    let mut send = ask(case, phase::SET, key, item, params, plan);
    send.item = Some(label.clone());
    send.deadline_us = PATIENCE_US;
    case.send(send);
}
