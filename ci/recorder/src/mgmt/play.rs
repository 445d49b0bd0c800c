//! Plays cases with the program.

use anyhow::{Context, bail};
use mgmt_engine::{Lane, Seen, SeenItem, SeenVertex};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// What the program tells of a case.
#[derive(Deserialize)]
struct Told {
    name: String,
    phases: Vec<Map<String, Value>>,
    vertices: BTreeMap<String, ToldVertex>,
    peak: usize,
}

#[derive(Deserialize)]
struct ToldVertex {
    lanes: BTreeMap<String, Option<Vec<ToldItem>>>,
    end: String,
    revalidations: u64,
}

#[derive(Deserialize)]
struct ToldItem {
    fields: Map<String, Value>,
    begin: u64,
    end: u64,
    t_ms: u64,
}

/// The lanes by the names that recordings give them.
pub(super) const LANES: [(&str, Lane); 4] = [
    ("life", Lane::Life),
    ("watch", Lane::Watch),
    ("recv", Lane::Recv),
    ("run", Lane::Run),
];

/// Plays cases, several at one time, and returns what was seen of each by its name.
pub(super) fn play(
    program: &Path,
    cases: &[&Value],
    at_once: usize,
) -> anyhow::Result<BTreeMap<String, Seen>> {
    let mut child = Command::new(program)
        .arg(at_once.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("the program does not start")?;
    let mut input = child.stdin.take().context("no input")?;
    let output = child.stdout.take().context("no output")?;
    let mut lines = String::new();
    for case in cases {
        let line = json!({ "name": case["name"], "input": case["input"] });
        lines.push_str(&line.to_string());
        lines.push('\n');
    }
    // It tells of cases while it still reads others.
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let mut all = BTreeMap::new();
    for line in BufReader::new(output).lines() {
        let told: Told = serde_json::from_str(&line?).context("the program's output")?;
        all.insert(told.name.clone(), seen(told));
    }
    let status = child.wait()?;
    match writer.join() {
        Ok(Ok(())) if status.success() && all.len() == cases.len() => Ok(all),
        _ => bail!("the program told of {} cases of {}", all.len(), cases.len()),
    }
}

fn seen(told: Told) -> Seen {
    let vertices = told.vertices.into_iter().map(|(label, mut vertex)| {
        let mut lanes = BTreeMap::new();
        for (name, lane) in LANES {
            let items = vertex.lanes.remove(name).flatten().unwrap_or_default();
            let items: Vec<SeenItem> = items.into_iter().map(item).collect();
            if !items.is_empty() {
                lanes.insert(lane, items);
            }
        }
        let seen = SeenVertex {
            lanes,
            end: vertex.end,
            revalidations: vertex.revalidations,
        };
        (label, seen)
    });
    Seen {
        phases: told.phases,
        vertices: vertices.collect(),
        peak: told.peak,
    }
}

fn item(told: ToldItem) -> SeenItem {
    SeenItem {
        fields: told.fields,
        begin: told.begin,
        end: told.end,
        t_ms: told.t_ms,
    }
}
