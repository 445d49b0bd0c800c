//! `stickler diff` on recorded graphs of mgmt: the reference engine does the same as the recorded one, or differs.

use mgmt_conform::{Reference, Situations};
use std::path::Path;
use stickler_conform::{Played, Situations as _, Table, lines};
use stickler_face::args::DiffArgs;
use stickler_face::conform::unusable;
use stickler_face::diff::show::Printer;
use stickler_face::{Done, Failure};
use stickler_oracle::{Compared, Comparison, Difference, RunName, Tally};

/// The recorded engine.
const PEER: &str = "mgmt";

/// Plays all situations of a recording. Each holds its own input, so that only one side runs.
pub fn run(args: &DiffArgs) -> Done {
    let path = args.recorded.as_deref().unwrap_or(Path::new(""));
    let file = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{file}: cannot be read: {error}")))?;
    let situations = lines(&file, &text)
        .and_then(|all| Situations::of(Box::new(Reference), all))
        .map_err(|error| unusable(&error))?;
    let all: Vec<usize> = (0..situations.len()).collect();
    let in_file = |error: anyhow::Error| unusable(&error.context(file.clone()));
    let played = situations.play(&all).map_err(in_file)?;
    let mut compared = Vec::new();
    for (at, played) in played.into_iter().enumerate() {
        compared.push(one(&situations, at, played).map_err(in_file)?);
    }
    let mut printer = Printer::new(args.format, args.color.on_stdout(), PEER);
    let mut tally = Tally::default();
    for compared in compared {
        tally.add(compared.verdict);
        printer.run(&compared)?;
    }
    printer.summary(&file, &tally)
}

fn one(
    situations: &Situations,
    at: usize,
    played: Result<Played, String>,
) -> anyhow::Result<Compared> {
    let name = situations.name(at);
    let played = played.map_err(|why| anyhow::anyhow!("{name}: {why}"))?;
    let release = situations.releases().pop().unwrap_or_default();
    let found = situations.differences(at, &played.seen, &release)?;
    let found = found.ok_or_else(|| anyhow::anyhow!("{name}: nothing was recorded"))?;
    let run = RunName {
        case: Some(name.to_owned()),
        mode: "replay".to_owned(),
    };
    let differences = found.into_iter().map(|one| Difference {
        aspect: "graph",
        parts: vec![one.what],
        diff: format!("- {}\n+ {}\n", one.expected, one.got),
        ..Difference::default()
    });
    let comparison = Comparison {
        differences: differences.collect(),
        exit: "recorded".to_owned(),
        ..Comparison::default()
    };
    Ok(Compared::of(run, comparison, &[]))
}
