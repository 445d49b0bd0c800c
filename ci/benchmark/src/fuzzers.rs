//! Stickler's campaigns beside other fuzzers, on the same modules with planted defects.
//!
//! `ci/bench fuzzers [--seeds N] [--for 60s] [--fuzzers stickler,afl++] [WORD…]`. A word is a language, a family or a
//! defect, such as `python`, `values` or `c/version`. `ci/setup fuzzers` installs the others.
//!
//! Schemathesis is missing: it speaks HTTP only.

mod defects;
mod race;
mod rivals;

use crate::median::median;
use anyhow::{Context, Result, bail, ensure};
pub use rivals::is_defect;
use rivals::{FUZZERS, Fuzzer, Gate};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub struct Options {
    pub seeds: u64,
    pub limit: Duration,
    fuzzers: Vec<Fuzzer>,
    pub words: Vec<String>,
}

impl Options {
    /// Reads options; without them, there are so many seeds, and each search has so much time.
    pub fn read(arguments: &[String], seeds: u64, limit: Duration) -> Result<Self> {
        let mut options = Options {
            seeds,
            limit,
            fuzzers: FUZZERS.to_vec(),
            words: Vec::new(),
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || {
                let value = arguments.next();
                value.with_context(|| format!("{argument} needs a value"))
            };
            match &**argument {
                "--seeds" => options.seeds = value()?.parse().context("--seeds needs a number")?,
                "--for" => {
                    let seconds = value()?.trim_end_matches('s').parse();
                    options.limit = Duration::from_secs(seconds.context("--for needs seconds")?);
                }
                "--fuzzers" => options.fuzzers = fuzzers(value()?)?,
                word if word.starts_with('-') => {
                    bail!("there is no option {word}; there are --seeds, --for and --fuzzers")
                }
                word => options.words.push(word.to_owned()),
            }
        }
        ensure!(options.seeds > 0, "--seeds needs at least one");
        Ok(options)
    }
}

/// Stickler is always among them: it is what the others are compared to.
fn fuzzers(names: &str) -> Result<Vec<Fuzzer>> {
    let mut chosen = vec![Fuzzer::Stickler];
    for name in names.split(',') {
        let known = FUZZERS
            .iter()
            .find(|fuzzer| fuzzer.name().eq_ignore_ascii_case(name));
        let fuzzer = *known.with_context(|| format!("there is no fuzzer {name:?}"))?;
        if !chosen.contains(&fuzzer) {
            chosen.push(fuzzer);
        }
    }
    Ok(chosen)
}

/// The folder of the repository.
fn root() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(here.join("../..").canonicalize()?)
}

/// Does something with a gate for each defect that is chosen by words.
pub fn each_gate(
    folder: &Path,
    words: &[String],
    mut work: impl FnMut(&Gate<'_>) -> Result<()>,
) -> Result<()> {
    let root = root()?;
    for defect in defects::chosen(words)? {
        let place = folder.join(format!("{}-{}", defect.language.name(), defect.name));
        let gate = Gate {
            defect,
            folder: &place,
            root: &root,
        };
        gate.prepare()?;
        work(&gate)?;
        std::fs::remove_dir_all(&place)?;
    }
    Ok(())
}

/// Prints a table with a line for each defect.
pub fn all(folder: &Path, arguments: &[String]) -> Result<()> {
    let options = Options::read(arguments, 5, Duration::from_secs(60))?;
    let root = root()?;
    let defects = defects::chosen(&options.words)?;
    defects::are_planted(&root.join("fixtures/planted"), &defects)?;
    let mut missing: Vec<&str> = options
        .fuzzers
        .iter()
        .filter_map(|fuzzer| fuzzer.missing(&root))
        .collect();
    if options.fuzzers.len() > 1
        && std::process::Command::new("bwrap")
            .arg("--version")
            .output()
            .is_err()
    {
        missing.push("bubblewrap, in which the other fuzzers run");
    }
    ensure!(
        missing.is_empty(),
        "missing: {}. `ci/setup fuzzers` installs them, `--fuzzers` leaves some out",
        missing.join(", ")
    );
    println!(
        "Seconds to each defect, at most {}: the median of {} seeds. `-`: its set-up cannot lead to the defect.",
        options.limit.as_secs(),
        options.seeds
    );
    println!("Ratio: the time of the best of the others, in times of Stickler.\n");
    let names: Vec<&str> = options.fuzzers.iter().map(|fuzzer| fuzzer.name()).collect();
    println!(
        "| language | family | defect | {} | ratio |",
        names.join(" | ")
    );
    println!("|---|---|---|{}---:|", "---:|".repeat(names.len()));
    each_gate(folder, &options.words, |gate| {
        let defect = gate.defect;
        let able: Vec<Fuzzer> = options
            .fuzzers
            .iter()
            .copied()
            .filter(|fuzzer| fuzzer.can_find(defect))
            .collect();
        let mut times: Vec<Vec<Duration>> = vec![Vec::new(); able.len()];
        // In turns, so that the load of the machine falls on all.
        for seed in 1..=options.seeds {
            for (fuzzer, times) in able.iter().zip(&mut times) {
                if misses(times, options.limit) * 2 > options.seeds {
                    continue;
                }
                let took = fuzzer.search(gate, seed, options.limit)?;
                times.push(took.unwrap_or(options.limit));
            }
        }
        for times in &mut times {
            times.resize(options.seeds as usize, options.limit);
        }
        let medians: Vec<Duration> = times.into_iter().map(median).collect();
        let cells = options.fuzzers.iter().map(|fuzzer| {
            let at = able.iter().position(|able| able == fuzzer);
            at.map_or("-".to_owned(), |at| shown(medians[at], options.limit))
        });
        println!(
            "| {} | {} | `{}` | {} | {} |",
            defect.language.name(),
            defect.family.name(),
            defect.name,
            cells.collect::<Vec<_>>().join(" | "),
            ratio(&medians, options.limit)
        );
        Ok(())
    })
}

/// How many seeds did not find the defect? Once these are more than half, the others cannot change the median.
fn misses(times: &[Duration], limit: Duration) -> u64 {
    times.iter().filter(|time| **time >= limit).count() as u64
}

fn shown(time: Duration, limit: Duration) -> String {
    match time >= limit {
        true => format!("> {}", limit.as_secs()),
        false => format!("{:.1}", time.as_secs_f64()),
    }
}

/// Stickler's time is the first.
fn ratio(medians: &[Duration], limit: Duration) -> String {
    let Some(best) = medians[1..].iter().min() else {
        return "-".to_owned();
    };
    let ratio = best.as_secs_f64() / medians[0].as_secs_f64();
    match (*best >= limit, medians[0] >= limit) {
        (true, true) => "-".to_owned(),
        (true, false) => format!("> {ratio:.2}"),
        (false, true) => format!("< {ratio:.2}"),
        (false, false) => format!("{ratio:.2}"),
    }
}
