//! `stickler diff` on recorded graphs of mgmt: the reference engine does the same as the recorded one, or differs.

use mgmt_engine::replay::{Replayed, replay};
use std::path::Path;
use stickler_face::args::DiffArgs;
use stickler_face::diff::show::Printer;
use stickler_face::{Done, Failure};
use stickler_oracle::{Compared, Comparison, Difference, RunName, Tally};

/// The recorded engine.
const PEER: &str = "mgmt";

/// Replays all cases of a recording. Each holds its own input, so that only one side runs.
pub fn run(args: &DiffArgs) -> Done {
    let path = args.recorded.as_deref().unwrap_or(Path::new(""));
    let file = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{file}: cannot be read: {error}")))?;
    let cases = replay(&text).map_err(|error| Failure::usage(format!("{file}: {error}")))?;
    let mut printer = Printer::new(args.format, args.color.on_stdout(), PEER);
    let mut tally = Tally::default();
    for case in cases {
        let compared = compared(case);
        tally.add(compared.verdict);
        printer.run(&compared)?;
    }
    printer.summary(&file, &tally)
}

fn compared(case: Replayed) -> Compared {
    let run = RunName {
        case: Some(case.name),
        mode: "replay".to_owned(),
    };
    let differences = case.differences.iter().map(|one| Difference {
        aspect: "graph",
        parts: vec![one.at.to_string()],
        diff: format!("- {}\n+ {}\n", one.recorded, one.seen),
        ..Difference::default()
    });
    let comparison = Comparison {
        differences: differences.collect(),
        exit: "recorded".to_owned(),
        ..Comparison::default()
    };
    Compared::of(run, comparison, &[])
}
