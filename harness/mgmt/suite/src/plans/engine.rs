//! Examples in graphs that the reference engine runs: alone, with meta parameters, and exchanged for others.

use crate::driven::{Act, Program};
use crate::shown::Shown;
use crate::values::differing;
use mgmt_protocol::relation::GRAPHS;
use mgmt_protocol::request;
use serde_json::{Value as Json, json};
use stickler_suite::plans::disturbable;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Drift, Role};

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut planned = Vec::new();
    for item in disturbable(setting, effort) {
        if !can_say(&item) {
            continue;
        }
        let label = &item.info.label;
        let group = |program: &Program| match program.pair {
            true => format!("{label}.beside"),
            false => format!("{label}.alone"),
        };
        let plain = [("graph", alone(&item)), ("pair", paired(&item))];
        for (name, program) in plain {
            let mut case = of(setting, &item, name, &program);
            case.member(GRAPHS, &group(&program), Role::Baseline);
            planned.push(case.build());
        }
        for (name, program) in with_meta(setting, &item) {
            let mut case = of(setting, &item, &format!("meta-{name}"), &program);
            case.member(GRAPHS, &group(&program), Role::variant(name));
            planned.push(case.build());
        }
        planned.push(of(setting, &item, "swap", &swapped(shown, &item)).build());
    }
    planned
}

/// Is all of it text, so that a file can hold it?
pub(super) fn can_say(item: &Instance) -> bool {
    let texts = item.attributes.iter().flat_map(|(_, value)| value.words());
    let mut all = texts.chain([item.name()]);
    all.all(|text| std::str::from_utf8(text).is_ok())
}

fn of<'s>(
    setting: &'s Setting<'_>,
    item: &Instance,
    family: &str,
    program: &Program,
) -> CaseBuilder<'s> {
    let mut case = setting.case(format!("{family}/{}", item.info.label));
    case.setup(item);
    if let Some([put, _]) = &program.obstacle {
        case.drift(put.clone());
    }
    case.observe("setup").start(0);
    case.hand_over(program);
    case
}

/// Under noop, then as it is, then with new objects.
fn alone(item: &Instance) -> Program {
    let plain = unconnected(&[item], &json!({}));
    Program {
        acts: vec![
            Act::Alone(
                "noop".into(),
                unconnected(&[item], &json!({ "noop": true })),
            ),
            Act::Alone("plain".into(), plain.clone()),
            Act::Alone("again".into(), plain),
        ],
        ..Program::default()
    }
}

/// The item and one with a longer name, in one graph.
fn paired(item: &Instance) -> Program {
    let twin = beside(item);
    let both = [item, &twin];
    Program {
        acts: vec![
            Act::Alone("pair".into(), unconnected(&both, &json!({}))),
            Act::Alone("look".into(), unconnected(&both, &json!({ "noop": true }))),
        ],
        pair: true,
        ..Program::default()
    }
}

/// The same resource under another name.
fn beside(item: &Instance) -> Instance {
    let mut twin = item.twin("beside");
    twin.set_name([item.name(), b"2"].concat());
    twin
}

/// With each meta parameter; then new objects look, and work without it.
fn with_meta(setting: &Setting<'_>, item: &Instance) -> Vec<(&'static str, Program)> {
    let with = |items: &[&Instance], meta: &Json| {
        let pair = items.len() > 1;
        let looks = unconnected(items, &json!({ "noop": true }));
        let plain = if pair { "pair" } else { "plain" };
        Program {
            acts: vec![
                Act::Alone("meta".into(), unconnected(items, meta)),
                Act::Alone("look".into(), looks.clone()),
                Act::Alone(plain.into(), unconnected(items, &json!({}))),
                Act::Alone("look again".into(), looks),
            ],
            pair,
            ..Program::default()
        }
    };
    let metas = [
        ("poll", json!({ "poll": 1 })),
        ("limit", json!({ "limit": 10, "burst": 1 })),
        ("timeout", json!({ "timeout": 20_000 })),
    ];
    let mut programs: Vec<_> = metas
        .into_iter()
        .map(|(name, meta)| (name, with(&[item], &meta)))
        .collect();
    let sema = json!({ "sema": ["stickler:1"] });
    programs.push(("sema", with(&[item, &beside(item)], &sema)));
    // What lies in the way of a file keeps most from their work.
    let retry = json!({ "retry": 5, "delay": 10 });
    if let Some(file) = setting.knowledge.made_by(&item.info.label).first() {
        let put = Drift::Directory {
            path: (*file).into(),
        };
        let take = Drift::Remove {
            path: (*file).into(),
        };
        let mut program = with(&[item], &retry);
        program.obstacle = Some([put, take]);
        programs.push(("retry", program));
    }
    programs
}

/// An equal graph in its place, then one that differs in a field.
fn swapped(shown: &Shown, item: &Instance) -> Program {
    let plain = unconnected(&[item], &json!({}));
    let mut acts = vec![
        Act::Bare(
            item.kind.as_str().into(),
            String::from_utf8_lossy(item.name()).as_ref().into(),
            request::fields(&item.attributes),
        ),
        Act::Count,
        Act::Swap("first".into(), plain.clone()),
        Act::Swap("equal".into(), plain),
    ];
    let kind = shown.kind(&item.kind);
    if let Some((_, other)) = kind.and_then(|kind| differing(kind, item)) {
        acts.push(Act::Swap(
            "other".into(),
            unconnected(&[&other], &json!({})),
        ));
    }
    acts.extend([Act::End, Act::Count]);
    Program {
        acts,
        ..Program::default()
    }
}

/// A graph of these items without edges.
fn unconnected(items: &[&Instance], meta: &Json) -> String {
    graph(items, meta, &json!([]))
}

/// A graph of these items, in JSON, which YAML includes.
pub(super) fn graph(items: &[&Instance], meta: &Json, edges: &Json) -> String {
    let vertices = items.iter().map(|item| {
        let mut vertex = request::fields(&item.attributes);
        vertex["name"] = Json::from(String::from_utf8_lossy(item.name()));
        if meta.as_object().is_some_and(|meta| !meta.is_empty()) {
            vertex["meta"] = meta.clone();
        }
        vertex
    });
    let vertices: Vec<Json> = vertices.collect();
    let kind = items
        .first()
        .map(|item| item.kind.clone())
        .unwrap_or_default();
    json!({ "graph": "stickler", "resources": { kind: vertices }, "edges": edges }).to_string()
}
