//! Has an engine drive a session: the reference engine, or mgmt's own in the host.

use crate::requests::{LOGS, LONG};
use crate::staged::Lent;
use mgmt_graph::{
    Came, GraphEvent, GraphHost, Run, RunOptions as Choices, Shared, Ungiven, Went, What, ask,
    give, read,
};
use mgmt_protocol::phase;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use stickler_rpc::Ended;
use stickler_session::{SessionError, Stage};
use stickler_suite::SCRATCH;
use stickler_transcript::{Drift, Name, Phase, Step};

/// What the engines are given, one after the other. A graph has a name, and a text as in a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Act {
    /// A graph, in a run of its own.
    Alone(Name, String),
    /// A graph that takes the place of the one before.
    Swap(Name, String),
    /// What runs ends.
    End,
    /// The host counts what it holds.
    Count,
    /// Resources of this kind, with this name and these fields, begin and end, one after the other: with nothing in
    /// between, watched, and applied, without an engine. The host counts before, between and after.
    Bare(Name, Name, Json),
    /// A graph for mgmt's own engine.
    Own(Name, String),
}

/// What the engines do in a session, as the plan holds it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Program {
    pub acts: Vec<Act>,
    /// What is put into the way of the resource, and taken away after its first error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<[Drift; 2]>,
    /// Has each graph two resources?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pair: bool,
}

/// Runs a program.
pub(crate) fn drive(program: &[u8], stage: &mut dyn Stage) -> Result<(), SessionError> {
    let lent = Lent::new(stage);
    // A changed or damaged plan stands for nothing.
    if let Ok(program) = serde_json::from_slice(program) {
        // A host that is gone is what rules see.
        let _ = run(&lent, &program);
    }
    lent.end()
}

/// How long nothing may happen in mgmt's own engine before a graph counts as converged, and how long it may take, in
/// milliseconds.
const QUIET: u64 = 500;
const LIMIT: u64 = 10_000;

/// After so many calls of `CheckApply`, a graph counts as one that never rests.
const CALLS: usize = 150;

/// The same of events, also of those after which there is nothing to do.
const EVENTS: usize = 400;

fn run(lent: &Lent<'_>, program: &Program) -> Result<(), Ended> {
    let host = GraphHost::open(lent.clone(), &format!("{SCRATCH}/var"), Some(LOGS))?;
    let choices = Choices {
        quiet: Duration::from_millis(60),
        limit: Duration::from_secs(10),
        arming: Duration::from_secs(1),
    };
    let mut left = program.obstacle.as_ref().map(|[_, take]| take.clone());
    let (calls, events) = (Cell::new(0_usize), Cell::new(0_usize));
    let stop = AtomicBool::new(false);
    let mut tell = |told: &GraphEvent| {
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
    while let Some(next) = acts.peek() {
        if let Act::Bare(kind, name, fields) = next {
            bare(lent, kind, name, fields)?;
            acts.next();
            continue;
        }
        if let Act::Own(name, text) = next {
            own(lent, &host, name, text)?;
            acts.next();
            continue;
        }
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
                    ask(&mut lent.clone(), "counts", &json!({}))?;
                    continue;
                }
                Act::End | Act::Own(..) | Act::Bare(..) => {}
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

/// The resources that are called without a graph.
const WATCHED: &str = "bare-watched";
const APPLIED: &str = "bare-applied";

/// What a resource leaves behind without a graph: after `Init`, after `Watch`, and after `CheckApply`.
fn bare(lent: &Lent<'_>, kind: &str, name: &str, fields: &Json) -> Result<(), Ended> {
    // What a method returns is other rules' matter.
    let tries =
        |method: Phase, params: Json| ask(&mut lent.clone(), &method.name(), &params).map(|_| ());
    tries(phase::COUNTS, json!({}))?;
    for label in ["bare", WATCHED, APPLIED] {
        let own = json!({ "resource": label });
        tries(
            phase::NEW,
            json!({ "resource": label, "kind": kind, "name": name }),
        )?;
        tries(phase::SET, json!({ "resource": label, "fields": fields }))?;
        tries(phase::VALIDATE, own.clone())?;
        tries(phase::INIT, own.clone())?;
        if label == APPLIED {
            let apply = json!({ "resource": label, "apply": true, "refresh": false });
            tries(phase::CHECKAPPLY, apply.clone())?;
            tries(phase::CHECKAPPLY, apply)?;
        }
        if label == WATCHED {
            tries(phase::COUNTS, json!({}))?;
            tries(phase::WATCH, json!({ "resource": label, "delay": false }))?;
            let wait = json!({ "resource": label, "what": "", "ms": LONG });
            tries(phase::AWAIT, wait)?;
            tries(phase::ACK, own.clone())?;
            tries(phase::CANCEL, json!({ "resource": label, "ms": LONG }))?;
            tries(phase::COUNTS, json!({}))?;
        }
        tries(phase::CLEANUP, own.clone())?;
        tries(phase::DROP, own)?;
        tries(phase::COUNTS, json!({}))?;
    }
    Ok(())
}

/// Runs a graph in mgmt's own engine.
fn own<'s>(lent: &Lent<'s>, host: &Shared<Lent<'s>>, name: &str, text: &str) -> Result<(), Ended> {
    mark(lent, &format!("graph {name}"))?;
    let Ok(file) = read(text) else {
        return Ok(());
    };
    let mut params = match give(host, &file, None) {
        Ok(given) => given.labelled(),
        Err(Ungiven::Lost(lost)) => return Err(lost),
        Err(_) => return Ok(()),
    };
    params["quiet_ms"] = QUIET.into();
    params["ms"] = LIMIT.into();
    ask(&mut lent.clone(), &phase::ENGINE.name(), &params)?;
    observe(lent, name)
}

fn give_text<'s>(
    host: &Shared<Lent<'s>>,
    run: &mut Run<'_, Lent<'s>>,
    text: &str,
) -> Result<&'static str, Ended> {
    let Ok(file) = read(text) else {
        return Ok("unread");
    };
    let given = match give(host, &file, None) {
        Ok(given) => given,
        Err(Ungiven::Lost(lost)) => return Err(lost),
        Err(_) => return Ok("unread"),
    };
    Ok(match run.give(given)? {
        Went::Converged => "converged",
        Went::Restless | Went::Interrupted => "restless",
        Went::Refused => "refused",
    })
}

fn mark(lent: &Lent<'_>, name: &str) -> Result<(), Ended> {
    let mark = Name::from(name);
    lent.step(Step::Mark { mark }).map(|_| ())
}

fn observe(lent: &Lent<'_>, point: &str) -> Result<(), Ended> {
    let point = point.to_owned();
    lent.step(Step::Observe { point }).map(|_| ())
}
