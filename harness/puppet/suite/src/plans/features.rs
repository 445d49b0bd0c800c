//! What the optional features of a type promise: canonical values, filters of names.

use crate::dialect::{ResourceApi, ask, open};
use puppet_protocol::phase;
use puppet_types::{Definition, Value};
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Phase};

pub(super) fn cases(dialect: &ResourceApi, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = subjects(setting, effort).into_iter();
    let items = items.filter(|item| setting.knowledge.repaired.contains(&item.info.label));
    let known = items.filter_map(|item| Some((dialect.definition(&item.kind)?, item)));
    let mut cases = Vec::new();
    for (definition, item) in known {
        if definition.has_feature("canonicalize") {
            cases.push(canonical(setting, &item));
        }
        if definition.has_feature("simple_get_filter") {
            cases.push(filtered(setting, &definition, &item));
        }
    }
    cases
}

/// Sends a request that depends on others to the item's provider.
fn send(
    case: &mut CaseBuilder<'_>,
    item: &Instance,
    phase: Phase,
    key: &str,
    params: Value,
    plan: Vec<(&'static str, Value)>,
) {
    let send = ask(case, phase, key.to_owned(), item, params, plan);
    case.send(send);
}

/// The rows of `get` and the target of an evaluation are made canonical once more.
fn canonical(setting: &Setting<'_>, item: &Instance) -> Case {
    let label = &item.info.label;
    let mut case = setting.case(format!("canonical/{label}"));
    case.setup(item).observing().open().evaluate(item);
    for (key, of) in [
        ("rows", format!("e-after:{label}")),
        ("again", format!("e-canonical:{label}")),
    ] {
        let plan = vec![("resources_of", Value::string(of))];
        send(
            &mut case,
            item,
            phase::CANONICALIZE,
            key,
            Value::hash([]),
            plan,
        );
    }
    case.terminate().build()
}

/// All rows, no row, each row by name, and one that is not there.
fn filtered(setting: &Setting<'_>, definition: &Definition, item: &Instance) -> Case {
    let label = &item.info.label;
    let mut case = setting.case(format!("filtered/{label}"));
    case.setup(item).observing().open().evaluate(item);
    open(&mut case, item);
    let names = |names: Value| Value::hash([("names", names)]);
    send(
        &mut case,
        item,
        phase::GET,
        "all",
        Value::hash([]),
        Vec::new(),
    );
    send(
        &mut case,
        item,
        phase::GET,
        "nil",
        names(Value::Undef),
        Vec::new(),
    );
    send(
        &mut case,
        item,
        phase::GET,
        "none",
        names(Value::Array(Vec::new())),
        Vec::new(),
    );
    let namevars = definition.namevars();
    let words = namevars.iter().map(|name| Value::string(*name)).collect();
    let plan = vec![
        ("names_of", Value::string("all")),
        ("namevars", Value::Array(words)),
    ];
    send(&mut case, item, phase::GET, "named", Value::hash([]), plan);
    case.terminate().build()
}
