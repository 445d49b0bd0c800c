//! How long large graphs take until all is quiet.
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::rc::Rc;
use std::time::Instant;

use mgmt_engine::recorded::Vertex;
use mgmt_engine::scripted::Scripted;
use mgmt_engine::{Engine, Plan, PlanEdge};

fn main() {
    for count in [10_000, 100_000] {
        for (shape, parents) in [
            ("layers", layers as fn(usize) -> Vec<usize>),
            ("chain", chain),
        ] {
            let start = Instant::now();
            match run(count, parents) {
                Ok(checks) => println!(
                    "{shape} of {count}: {checks} calls of CheckApply in {:.2} s",
                    start.elapsed().as_secs_f64()
                ),
                Err(error) => println!("{shape} of {count}: {error}"),
            }
        }
    }
}

/// Layers of a hundred; each vertex has three parents in the layer above.
fn layers(place: usize) -> Vec<usize> {
    let above = (place / 100).checked_sub(1);
    let parent = |step: usize| above.map(|layer| layer * 100 + (place * 7 + step * 13) % 100);
    (0..3).filter_map(parent).collect()
}

fn chain(place: usize) -> Vec<usize> {
    place.checked_sub(1).into_iter().collect()
}

fn run(count: usize, parents: fn(usize) -> Vec<usize>) -> Result<usize, serde_json::Error> {
    let mut engine: Engine<Scripted> = Engine::new(None);
    engine.trace.off = true;
    let mut nodes = Vec::with_capacity(count);
    for place in 0..count {
        let script: Vertex =
            serde_json::from_value(serde_json::json!({ "name": place.to_string() }))?;
        nodes.push(engine.instance(Scripted::new(Rc::new(script)), format!("{place}@1")));
    }
    let mut plan = Plan::new(nodes);
    for to in 0..count {
        for from in parents(to) {
            plan.add_edge(PlanEdge {
                from,
                to,
                name: format!("{from} -> {to}"),
                notify: true,
            });
        }
    }
    engine.load(plan, false);
    engine.run_until(1000);
    Ok(engine.ends().iter().filter(|(_, end)| end == "ok").count())
}
