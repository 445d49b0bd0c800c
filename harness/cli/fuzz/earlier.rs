//! The earlier runs of a campaign: a killed one goes on where it was.

use super::folder;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use stickler_fuzz::{Before, Status};

/// What earlier runs have found, in the folder of a campaign.
pub const KNOWN: &str = "known.jsonl";

/// The counters of all earlier runs, and how the campaign began.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Earlier {
    /// How many runs there were.
    pub runs: u64,
    /// How long they took.
    pub seconds: f64,
    /// How many sessions they held.
    pub cases: u64,
    /// How many messages they sent.
    pub requests: u64,
    /// Was the last one killed?
    pub killed: bool,
    /// The seed of the campaign.
    pub seed: Option<u64>,
    /// Its shard, as `--shard` has it.
    pub shard: Option<String>,
}

impl Earlier {
    /// Reads the summary of a campaign. What is none counts as no run.
    pub fn read(own: &Path) -> Earlier {
        let text = fs::read(own.join(folder::SUMMARY)).unwrap_or_default();
        let value: Value = serde_json::from_slice(&text).unwrap_or_default();
        if value["event"] != "summary" {
            return Earlier::default();
        }
        // Older versions counted one run only.
        let of = |total: &str, one: &str| match &value[total] {
            Value::Null => value[one].clone(),
            total => total.clone(),
        };
        Earlier {
            runs: value["runs"].as_u64().unwrap_or(1),
            seconds: of("total_seconds", "seconds").as_f64().unwrap_or(0.0),
            cases: of("total_cases", "cases").as_u64().unwrap_or(0),
            requests: of("total_requests", "requests").as_u64().unwrap_or(0),
            killed: value["ended"] == "running",
            seed: value["seed"].as_u64(),
            shard: value["shard"].as_str().map(str::to_owned),
        }
    }

    /// Adds the totals with this run to a summary.
    pub fn total(&self, line: &mut Value, status: &Status) {
        let seconds = self.seconds + status.time.as_secs_f64();
        line["runs"] = json!(self.runs + 1);
        line["total_seconds"] = json!((seconds * 1000.0).round() / 1000.0);
        line["total_cases"] = json!(self.cases + status.cases);
        line["total_requests"] = json!(self.requests + status.requests);
        if let Some(seed) = self.seed {
            line["seed"] = json!(seed);
        }
        if let Some(shard) = &self.shard {
            line["shard"] = json!(shard);
        }
    }
}

/// The defects that a campaign knows. A line that is not whole, as a killed campaign may leave it, is none.
pub fn known(own: &Path) -> Vec<Before> {
    let text = fs::read_to_string(own.join(KNOWN)).unwrap_or_default();
    let lines = text.lines();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

fn lines(known: &[Before]) -> Vec<u8> {
    let lines = known
        .iter()
        .filter_map(|one| serde_json::to_string(one).ok());
    lines.flat_map(|line| (line + "\n").into_bytes()).collect()
}

/// Writes all that a campaign knows.
pub fn keep(own: &Path, known: &[Before]) -> anyhow::Result<()> {
    folder::put(&own.join(KNOWN), &lines(known))
}

/// Adds what a campaign knows now.
pub fn add(own: &Path, known: &Before) -> std::io::Result<()> {
    fs::create_dir_all(own)?;
    let mut options = File::options();
    let mut file = options.create(true).append(true).open(own.join(KNOWN))?;
    file.write_all(&lines(std::slice::from_ref(known)))
}

/// Adds what other campaigns know, each defect once.
pub fn merge(into: &Path, from: &[PathBuf]) -> anyhow::Result<()> {
    let mut all = known(into);
    let mut signatures: BTreeSet<String> = all.iter().map(|one| one.signature.clone()).collect();
    for own in from {
        let new = known(own).into_iter();
        all.extend(new.filter(|one| signatures.insert(one.signature.clone())));
    }
    match all.is_empty() {
        true => Ok(()),
        false => keep(into, &all),
    }
}
