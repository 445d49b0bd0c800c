//! Examples in graphs that mgmt's own engine runs, beside the same graphs in the reference engine.

use super::engine::{Act, Program, can_say, graph, hold, mark, observe};
use crate::host::has_engine;
use crate::requests::LOGS;
use crate::staged::Lent;
use crate::wire::HostWire;
use mgmt_graph::{Caller as _, Host, give, read};
use mgmt_protocol::phase;
use mgmt_protocol::relation;
use serde_json::{Value as Json, json};
use stickler_session::sandbox::Host as Sandbox;
use stickler_session::{RunOptions, SessionError, Stepwise};
use stickler_suite::plans::disturbable;
use stickler_suite::{Effort, Instance, Planned, SCRATCH, Setting};
use stickler_transcript::{Case, Role, Transcript};

/// How long nothing may happen before a graph counts as converged, and how long it may take, in milliseconds.
const QUIET: u64 = 500;
const LIMIT: u64 = 10_000;

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Planned> {
    if !has_engine(setting.config) {
        return Vec::new();
    }
    let items = disturbable(setting, effort).into_iter().filter(can_say);
    items.flat_map(|item| pair(setting, &item)).collect()
}

/// The same graphs in both engines.
fn pair(setting: &Setting<'_>, item: &Instance) -> [Planned; 2] {
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
    let acts = graphs
        .iter()
        .map(|(name, text)| Act::Alone(name, text.clone()));
    let program = Program {
        acts: acts.collect(),
        obstacle: None,
    };
    let reference = case(setting, item, Role::Baseline);
    let own = case(setting, item, Role::variant("in mgmt's own engine"));
    [
        Planned::Driven(
            reference,
            Box::new(move |host: &Sandbox, case, options: &RunOptions<'_>| {
                hold(host, case, &program, options)
            }),
        ),
        Planned::Driven(
            own,
            Box::new(move |host: &Sandbox, case, options: &RunOptions<'_>| {
                hold_own(host, case, &graphs, options)
            }),
        ),
    ]
}

fn case(setting: &Setting<'_>, item: &Instance, role: Role) -> Case {
    let name = match role {
        Role::Baseline => "reference",
        _ => "own",
    };
    let label = &item.info.label;
    let mut case = setting.case(format!("engines/{name}/{label}"));
    case.member(relation::ENGINES, &format!("engines {label}"), role)
        .setup(item);
    case.observe("setup").start(0);
    case.build()
}

/// Holds a session in which mgmt's own engine runs the graphs.
fn hold_own(
    sandbox: &Sandbox,
    case: Case,
    graphs: &[(&str, String)],
    options: &RunOptions<'_>,
) -> Result<Transcript, SessionError> {
    let lent = Lent::new(Stepwise::open(sandbox, case, &HostWire, options)?);
    // A host that is gone is what rules see.
    let _ = drive(&lent, graphs);
    lent.close()
}

fn drive(lent: &Lent<'_>, graphs: &[(&str, String)]) -> Result<(), mgmt_graph::Lost> {
    let host = Host::open(lent.clone(), &format!("{SCRATCH}/var"), Some(LOGS))?;
    for (name, text) in graphs {
        mark(lent, &format!("graph {name}"))?;
        let Ok(file) = read(text) else {
            return Ok(());
        };
        let mut params = match give(&host, &file, None) {
            Ok(given) => given.labelled(),
            Err(mgmt_graph::Ungiven::Lost(lost)) => return Err(lost),
            Err(_) => return Ok(()),
        };
        params["quiet_ms"] = QUIET.into();
        params["ms"] = LIMIT.into();
        lent.clone().call(&phase::ENGINE.name(), &params)?;
        observe(lent, name)?;
    }
    Ok(())
}
