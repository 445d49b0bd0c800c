//! Compares an engine with the recordings, and writes what differs.

use super::build::build;
use super::merge::merged;
use super::play::play;
use crate::recorded::Recorded;
use anyhow::Context;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use mgmt_engine::Seen;
use mgmt_engine::compare::compare;
use mgmt_engine::recorded::Case;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// How many cases run at one time: they mostly wait.
const AT_ONCE: usize = 6;

/// How often a case is played again that differs from its recording.
const AGAIN: usize = 20;

/// What came of the recording of an engine.
#[derive(Debug)]
pub struct Replayed {
    /// As of other programs.
    pub recorded: Recorded,
    /// Cases that agreed only when they were played again.
    pub later: Vec<String>,
    /// How each changed case differed in its last run.
    pub differences: Vec<String>,
}

/// Plays each case of a fixture in a checkout of mgmt, and notes in the fixture what it does.
///
/// # Errors
///
/// If a file can't be read or written, or if the program does not compile in the checkout.
pub fn record(fixture: &Path, checkout: &Path) -> anyhow::Result<Replayed> {
    let path = fixture.join("cases.jsonl.gz");
    let mut lines = cases(&path).with_context(|| path.display().to_string())?;
    let folder = tempfile::tempdir()?;
    let (program, version) = build(checkout, folder.path())?;
    let all: Vec<&Value> = lines.iter().collect();
    let mut runs = vec![play(&program, &all, AT_ONCE)?];
    let mut left = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if !agrees(line, run(&runs[0], line)?)? {
            left.push(at);
        }
    }
    let mut later = Vec::new();
    for _ in 0..AGAIN {
        if left.is_empty() {
            break;
        }
        let cases: Vec<&Value> = left.iter().map(|at| &lines[*at]).collect();
        let seen = play(&program, &cases, 1)?;
        let mut still = Vec::new();
        for at in left {
            match agrees(&lines[at], run(&seen, &lines[at])?)? {
                true => later.push(name(&lines[at]).to_owned()),
                false => still.push(at),
            }
        }
        left = still;
        runs.push(seen);
    }
    let mut changed = Vec::new();
    let mut differences = Vec::new();
    for at in left {
        let own = runs.iter().filter_map(|run| run.get(name(&lines[at])));
        let own: Vec<Seen> = own.cloned().collect();
        let case: Case = serde_json::from_value(lines[at].clone())?;
        let found = own.last().map(|seen| compare(&case, seen));
        let found = found.into_iter().flatten().map(|one| one.to_string());
        differences.push(found.collect::<Vec<_>>().join("\n    "));
        changed.push(case.name);
        let timing = case.input.timing;
        lines[at]["observed"] = merged(&own, &lines[at]["observed"], timing);
    }
    if !changed.is_empty() {
        let mut file = GzEncoder::new(File::create(&path)?, Compression::best());
        for line in &lines {
            writeln!(file, "{line}")?;
        }
        file.finish()?;
    }
    Ok(Replayed {
        recorded: Recorded {
            version,
            played: lines.len(),
            changed,
        },
        later,
        differences,
    })
}

/// The cases of a recording.
pub(super) fn cases(path: &Path) -> anyhow::Result<Vec<Value>> {
    let mut text = String::new();
    GzDecoder::new(File::open(path)?).read_to_string(&mut text)?;
    let cases: Result<_, _> = text.lines().map(serde_json::from_str).collect();
    Ok(cases?)
}

fn name(line: &Value) -> &str {
    line["name"].as_str().unwrap_or_default()
}

fn run<'r>(runs: &'r BTreeMap<String, Seen>, line: &Value) -> anyhow::Result<&'r Seen> {
    runs.get(name(line)).context("a case was not told of")
}

fn agrees(line: &Value, seen: &Seen) -> anyhow::Result<bool> {
    let case: Case = serde_json::from_value(line.clone())?;
    Ok(compare(&case, seen).is_empty())
}
