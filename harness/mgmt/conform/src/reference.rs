//! Stickler's own engine, as one that plays situations.

use crate::line::Line;
use crate::play::{Player, Run};
use anyhow::Context;
use mgmt_engine::recorded::Input;
use mgmt_engine::{Seen, driver};
use serde_json::{Map, Value, json};

/// The reference engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

impl Player for Reference {
    fn name(&self) -> String {
        "stickler's engine".to_owned()
    }

    fn version(&self) -> &str {
        ""
    }

    fn words(&self) -> Vec<String> {
        ["stickler", "graph"].map(str::to_owned).to_vec()
    }

    /// It always does the same.
    fn tries(&self) -> usize {
        0
    }

    fn play(&self, lines: &[&Line]) -> anyhow::Result<Run> {
        let mut run = Run::default();
        for line in lines {
            let input: Input = serde_json::from_value(line.members["input"].clone())
                .with_context(|| line.name.clone())?;
            run.told.push(Some(told(&driver::run(&input))));
        }
        Ok(run)
    }
}

/// A run in the form that the program in `go/` tells it.
fn told(seen: &Seen) -> Value {
    let vertices = seen.vertices.iter().map(|(label, vertex)| {
        let lanes = vertex.lanes.iter().map(|(lane, items)| {
            let items = items.iter().map(|item| {
                json!({
                    "fields": item.fields,
                    "begin": item.begin,
                    "end": item.end,
                    "t_ms": item.t_ms,
                })
            });
            (lane.word().to_owned(), items.collect::<Value>())
        });
        let told = json!({
            "lanes": lanes.collect::<Map<String, Value>>(),
            "end": vertex.end,
            "revalidations": vertex.revalidations,
        });
        (label.clone(), told)
    });
    json!({
        "phases": seen.phases,
        "vertices": vertices.collect::<Map<String, Value>>(),
        "peak": seen.peak,
    })
}
