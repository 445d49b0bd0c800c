//! Examples in graphs that mgmt's own engine runs, beside the same graphs in the reference engine.

use super::engine::{can_say, graph};
use crate::driven::{Act, Program};
use crate::host::has_engine;
use mgmt_protocol::relation;
use serde_json::{Value as Json, json};
use stickler_suite::plans::disturbable;
use stickler_suite::{Effort, Instance, Setting};
use stickler_transcript::{Case, Name, Role};

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    if !has_engine(setting.config) {
        return Vec::new();
    }
    let items = disturbable(setting, effort).into_iter().filter(can_say);
    items.flat_map(|item| pair(setting, &item)).collect()
}

/// The same graphs in both engines.
fn pair(setting: &Setting<'_>, item: &Instance) -> [Case; 2] {
    let mut beside = item.twin("beside");
    beside.set_name([item.name(), b"2"].concat());
    let alone = |meta: Json| graph(&[item], &meta, &json!([]));
    let follows = json!([{
        "name": "stickler",
        "from": { "kind": item.kind, "name": String::from_utf8_lossy(item.name()) },
        "to": { "kind": item.kind, "name": String::from_utf8_lossy(beside.name()) },
        "notify": true,
    }]);
    let graphs = [
        ("both noop", alone(json!({ "noop": true }))),
        ("both plain", alone(json!({}))),
        ("both again", alone(json!({}))),
        (
            "both follows",
            graph(&[item, &beside], &json!({}), &follows),
        ),
    ];
    let program = |act: fn(Name, String) -> Act| Program {
        acts: graphs
            .iter()
            .map(|(name, text)| act((*name).into(), text.clone()))
            .collect(),
        ..Program::default()
    };
    [
        case(setting, item, Role::Baseline, &program(Act::Alone)),
        case(
            setting,
            item,
            Role::variant("in mgmt's own engine"),
            &program(Act::Own),
        ),
    ]
}

fn case(setting: &Setting<'_>, item: &Instance, role: Role, program: &Program) -> Case {
    let name = match role {
        Role::Baseline => "reference",
        _ => "own",
    };
    let label = &item.info.label;
    let mut case = setting.case(format!("engines/{name}/{label}"));
    case.member(relation::ENGINES, &format!("engines {label}"), role)
        .setup(item);
    case.observe("setup").start(0);
    case.hand_over(program).build()
}
