//! Examples in graphs that the reference engine runs: alone, with meta parameters, and exchanged for others.

use crate::requests::LOGS;
use crate::shown::Shown;
use crate::staged::Lent;
use crate::values::differing;
use crate::wire::HostWire;
use mgmt_graph::{
    Caller, Came, Host, Run, RunOptions as Choices, Shared, Told, Went, What, give, read,
};
use mgmt_protocol::relation;
use mgmt_protocol::request;
use serde_json::{Value as Json, json};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use stickler_session::sandbox::Host as Sandbox;
use stickler_session::{RunOptions, SessionError, Stepwise};
use stickler_suite::plans::{by_itself, disturbable};
use stickler_suite::{Effort, Instance, Planned, SCRATCH, Setting};
use stickler_transcript::{Case, Drift, Name, Step, Transcript};

/// What the engine is given, one after the other.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// A graph, in a run of its own.
    Alone(&'static str, String),
    /// A graph that takes the place of the one before.
    Swap(&'static str, String),
    /// What runs ends.
    End,
    /// The host counts what it holds.
    Count,
}

/// What a session does.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) acts: Vec<Act>,
    /// What is put into the way of the resource, and taken away after its first error.
    pub(super) obstacle: Option<[Drift; 2]>,
}

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Planned> {
    let mut planned = Vec::new();
    for item in disturbable(setting, effort) {
        if !can_say(&item) {
            continue;
        }
        planned.push(of(setting, &item, "graph", alone(&item)));
        for (name, program) in with_meta(setting, &item) {
            planned.push(of(setting, &item, &format!("meta-{name}"), program));
        }
        planned.push(of(setting, &item, "swap", swapped(shown, &item)));
    }
    planned
}

/// Is all of it text, so that a file can hold it?
pub(super) fn can_say(item: &Instance) -> bool {
    let texts = item.attributes.iter().flat_map(|(_, value)| value.words());
    let mut all = texts.chain([item.name()]);
    all.all(|text| std::str::from_utf8(text).is_ok())
}

fn of(setting: &Setting<'_>, item: &Instance, family: &str, program: Program) -> Planned {
    let mut case = setting.case(format!("{family}/{}", item.info.label));
    case.setup(item);
    if let Some([put, _]) = &program.obstacle {
        case.drift(put.clone());
    }
    case.observe("setup").start(0);
    let mut case = case.build();
    by_itself(relation::GRAPHS, &mut case);
    let drive = move |host: &Sandbox, case: Case, options: &RunOptions<'_>| {
        hold(host, case, &program, options)
    };
    Planned::Driven(case, Box::new(drive))
}

/// Under noop, then as it is, then with new objects.
fn alone(item: &Instance) -> Program {
    let plain = unconnected(&[item], &json!({}));
    Program {
        acts: vec![
            Act::Alone("noop", unconnected(&[item], &json!({ "noop": true }))),
            Act::Alone("plain", plain.clone()),
            Act::Alone("again", plain),
        ],
        obstacle: None,
    }
}

/// With each meta parameter; then new objects look, and work without it.
fn with_meta(setting: &Setting<'_>, item: &Instance) -> Vec<(&'static str, Program)> {
    let looks = unconnected(&[item], &json!({ "noop": true }));
    let program = |graph: String| Program {
        acts: vec![
            Act::Alone("meta", graph),
            Act::Alone("look", looks.clone()),
            Act::Alone("plain", unconnected(&[item], &json!({}))),
            Act::Alone("look again", looks.clone()),
        ],
        obstacle: None,
    };
    let metas = [
        ("poll", json!({ "poll": 1 })),
        ("limit", json!({ "limit": 10, "burst": 1 })),
        ("timeout", json!({ "timeout": 20_000 })),
    ];
    let mut programs: Vec<_> = metas
        .into_iter()
        .map(|(name, meta)| (name, program(unconnected(&[item], &meta))))
        .collect();
    let mut twin = item.twin("beside");
    twin.set_name([item.name(), b"2"].concat());
    let sema = json!({ "sema": ["stickler:1"] });
    programs.push(("sema", program(unconnected(&[item, &twin], &sema))));
    // What lies in the way of a file keeps most from their work.
    let retry = json!({ "retry": 5, "delay": 10 });
    if let Some(file) = setting.knowledge.made_by(&item.info.label).first() {
        let put = Drift::Directory {
            path: (*file).into(),
        };
        let take = Drift::Remove {
            path: (*file).into(),
        };
        let mut program = program(unconnected(&[item], &retry));
        program.obstacle = Some([put, take]);
        programs.push(("retry", program));
    }
    programs
}

/// An equal graph in its place, then one that differs in a field.
fn swapped(shown: &Shown, item: &Instance) -> Program {
    let plain = unconnected(&[item], &json!({}));
    let mut acts = vec![
        Act::Count,
        Act::Swap("first", plain.clone()),
        Act::Swap("equal", plain),
    ];
    let kind = shown.kind(&item.kind);
    if let Some((_, other)) = kind.and_then(|kind| differing(kind, item)) {
        acts.push(Act::Swap("other", unconnected(&[&other], &json!({}))));
    }
    acts.extend([Act::End, Act::Count]);
    Program {
        acts,
        obstacle: None,
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

/// Holds a session that the engine drives.
pub(super) fn hold(
    sandbox: &Sandbox,
    case: Case,
    program: &Program,
    options: &RunOptions<'_>,
) -> Result<Transcript, SessionError> {
    let lent = Lent::new(Stepwise::open(sandbox, case, &HostWire, options)?);
    // A host that is gone is what rules see.
    let _ = drive(&lent, program);
    lent.close()
}

/// After so many calls of `CheckApply`, a graph counts as one that never rests.
const CALLS: usize = 150;

/// The same of events, also of those after which there is nothing to do.
const EVENTS: usize = 400;

fn drive(lent: &Lent<'_>, program: &Program) -> Result<(), mgmt_graph::Lost> {
    let host = Host::open(lent.clone(), &format!("{SCRATCH}/var"), Some(LOGS))?;
    let choices = Choices {
        quiet: Duration::from_millis(60),
        limit: Duration::from_secs(10),
        arming: Duration::from_secs(1),
    };
    let mut left = program.obstacle.as_ref().map(|[_, take]| take.clone());
    let (calls, events) = (Cell::new(0_usize), Cell::new(0_usize));
    let stop = AtomicBool::new(false);
    let mut tell = |told: &Told| {
        // A few events for nothing are no unrest.
        let works = matches!(
            told.what,
            What::CheckApply {
                result: Came::Changed | Came::Error | Came::Panic,
                ..
            }
        );
        calls.set(calls.get() + usize::from(works));
        let is_event = matches!(told.what, What::Event { .. });
        events.set(events.get() + usize::from(is_event));
        let restless = calls.get() > CALLS || events.get() > EVENTS;
        stop.store(restless, Ordering::Relaxed);
        let fails = matches!(
            told.what,
            What::CheckApply {
                result: Came::Error | Came::Panic,
                ..
            }
        );
        if let Some(take) = left.take_if(|_| fails) {
            let _ = lent.step(Step::Drift(take));
        }
    };
    let mut acts = program.acts.iter().peekable();
    while acts.peek().is_some() {
        let mut run = Run::new(Shared::clone(&host), choices, &stop, &mut tell);
        for act in acts.by_ref() {
            match act {
                Act::Alone(name, text) | Act::Swap(name, text) => {
                    mark(lent, &format!("graph {name}"))?;
                    calls.set(0);
                    events.set(0);
                    stop.store(false, Ordering::Relaxed);
                    let went = give_text(&host, &mut run, text)?;
                    mark(lent, &format!("went {went}"))?;
                    observe(lent, name)?;
                }
                Act::Count => {
                    lent.clone().call("counts", &json!({}))?;
                    continue;
                }
                Act::End => {}
            }
            if matches!(act, Act::Alone(..) | Act::End) {
                break;
            }
        }
        run.finish();
        mark(lent, "graph ended")?;
    }
    Ok(())
}

fn give_text<'s>(
    host: &Shared<Lent<'s>>,
    run: &mut Run<'_, Lent<'s>>,
    text: &str,
) -> Result<&'static str, mgmt_graph::Lost> {
    let Ok(file) = read(text) else {
        return Ok("unread");
    };
    let given = match give(host, &file, None) {
        Ok(given) => given,
        Err(mgmt_graph::Ungiven::Lost(lost)) => return Err(lost),
        Err(_) => return Ok("unread"),
    };
    Ok(match run.give(given)? {
        Went::Converged => "converged",
        Went::Restless | Went::Interrupted => "restless",
        Went::Refused => "refused",
    })
}

pub(super) fn mark(lent: &Lent<'_>, name: &str) -> Result<(), mgmt_graph::Lost> {
    let mark = Name::from(name);
    lent.step(Step::Mark { mark }).map(|_| ())
}

pub(super) fn observe(lent: &Lent<'_>, point: &str) -> Result<(), mgmt_graph::Lost> {
    let point = point.to_owned();
    lent.step(Step::Observe { point }).map(|_| ())
}
