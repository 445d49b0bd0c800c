//! What each technique of campaigns brings, over all modules with planted defects.
//!
//! `ci/bench yields [--seeds N] [--for 10s] [WORD…]`. A word is a language, a family or a defect, as for `fuzzers`.
//! Without a word, the six defects of `planted` are among them.

use crate::fuzz;
use crate::fuzzers::{self, Options};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// What a technique brought in all campaigns.
#[derive(Default)]
struct Sum {
    tried: u64,
    marks: u64,
    corpus: u64,
    findings: u64,
    seconds: f64,
    /// In how many campaigns it brought anything.
    campaigns: usize,
}

/// The sums of all campaigns.
#[derive(Default)]
struct Sums {
    techniques: BTreeMap<String, Sum>,
    campaigns: usize,
    /// In how many of them a defect was found.
    found: usize,
    /// How many marks they saw, and how many inputs their corpora have.
    marks: u64,
    corpus: u64,
}

impl Sums {
    fn add(&mut self, lines: &[Value]) -> Result<()> {
        let summary = lines.last().context("no summary")?;
        self.campaigns += 1;
        let is_found = lines.iter().any(fuzzers::is_defect);
        self.found += usize::from(is_found);
        for key in ["seen", "lines"] {
            self.marks += summary[key].as_u64().unwrap_or(0);
        }
        self.corpus += summary["corpus"].as_u64().unwrap_or(0);
        for one in summary["yields"].as_array().into_iter().flatten() {
            let name = one["technique"].as_str().context("a name")?;
            let sum = self.techniques.entry(name.to_owned()).or_default();
            let count = |key: &str| one[key].as_u64().unwrap_or(0);
            let brought = [count("marks"), count("corpus"), count("findings")];
            sum.tried += count("tried");
            sum.marks += brought[0];
            sum.corpus += brought[1];
            sum.findings += brought[2];
            sum.seconds += one["seconds"].as_f64().unwrap_or(0.0);
            sum.campaigns += usize::from(brought.iter().any(|count| *count > 0));
        }
        Ok(())
    }

    /// A table with a line for each technique. The one that brings most in a second is the first.
    fn print(&self) {
        println!(
            "yields              {} of {} defects found, {} marks, {} inputs in the corpora\n",
            self.found, self.campaigns, self.marks, self.corpus
        );
        println!(
            "{:<26} {:>9} {:>9} {:>7} {:>8} {:>9} {:>9} {:>9}",
            "technique",
            "sessions",
            "new marks",
            "corpus",
            "findings",
            "seconds",
            "marks/s",
            "campaigns"
        );
        let rate = |sum: &Sum| (sum.marks + sum.findings) as f64 / sum.seconds.max(1e-3);
        let mut all: Vec<(&String, &Sum)> = self.techniques.iter().collect();
        all.sort_by(|(_, one), (_, other)| rate(other).total_cmp(&rate(one)));
        for (name, sum) in all {
            println!(
                "{name:<26} {:>9} {:>9} {:>7} {:>8} {:>9.1} {:>9.1} {:>9}",
                sum.tried,
                sum.marks,
                sum.corpus,
                sum.findings,
                sum.seconds,
                rate(sum),
                sum.campaigns
            );
        }
    }
}

/// Runs a short campaign on each module, and prints the sums.
pub fn all(folder: &Path, arguments: &[String]) -> Result<()> {
    let options = Options::read(arguments, 1, Duration::from_secs(10))?;
    let time = format!("{}s", options.limit.as_secs());
    let mut sums = Sums::default();
    for seed in 1..=options.seeds {
        let seed = seed.to_string();
        let arguments = ["--jobs", "1", "--for", &time, "--seed", &seed];
        if options.words.is_empty() {
            fuzz::each_planted(folder, |subject| sums.add(&subject.fresh(&arguments)?))?;
        }
        fuzzers::each_gate(folder, &options.words, |gate| {
            sums.add(&gate.subject().fresh(&arguments)?)
        })?;
    }
    sums.print();
    Ok(())
}
