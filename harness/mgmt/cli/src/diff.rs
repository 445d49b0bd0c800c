//! `stickler diff` on recorded graphs of mgmt: the reference engine does the same as the recorded one, or differs.

use mgmt_engine::replay::{Replayed, replay};
use std::path::Path;
use stickler_face::args::{DiffArgs, ListFormat};
use stickler_face::{Done, Failure, terminal};
use stickler_judge::Exit;
use stickler_oracle::{Difference, Line, RunName, RunVerdict, Tally};
use stickler_report::visible;

/// How the cases run.
const MODE: &str = "replay";

/// Replays all cases of a recording.
pub fn run(args: &DiffArgs) -> Done {
    let path = args.recorded.as_deref().unwrap_or(Path::new(""));
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{shown}: cannot be read: {error}")))?;
    let cases = replay(&text).map_err(|error| Failure::usage(format!("{shown}: {error}")))?;
    let agree = cases.iter().filter(|case| case.agrees()).count();
    for case in &cases {
        match args.format {
            ListFormat::Pretty => pretty(case)?,
            ListFormat::Json => json(case)?,
        }
    }
    match args.format {
        ListFormat::Pretty => terminal::print(format!("agree {agree}/{}\n", cases.len()))?,
        ListFormat::Json => {
            let count = |number| u64::try_from(number).unwrap_or(u64::MAX);
            let tally = Tally {
                agree: count(agree),
                differ: count(cases.len() - agree),
                ..Tally::default()
            };
            let file = shown.to_string();
            let line = Line::Summary {
                file: Some(&file),
                seed: None,
                peer: "mgmt",
                runs: tally.runs(),
                tally,
            };
            terminal::print(line.text())?;
        }
    }
    Ok(match agree == cases.len() {
        true => Exit::Success,
        false => Exit::Findings,
    })
}

fn pretty(case: &Replayed) -> Result<(), Failure> {
    if case.agrees() {
        return Ok(());
    }
    let mut text = format!("differ  {}\n", visible(&case.name));
    for difference in &case.differences {
        text.push_str(&format!("  {}\n", visible(&difference.to_string())));
    }
    terminal::print(text)
}

fn json(case: &Replayed) -> Result<(), Failure> {
    let run = RunName {
        case: Some(case.name.clone()),
        mode: MODE.to_owned(),
    };
    let mut lines = String::new();
    for one in &case.differences {
        let found = Difference {
            aspect: "graph",
            parts: vec![one.at.to_string()],
            diff: format!("- {}\n+ {}\n", one.recorded, one.seen),
            ..Difference::default()
        };
        let line = Line::Difference {
            run: &run,
            found: &found,
        };
        lines.push_str(&line.text());
    }
    let agree = case.agrees();
    let line = Line::Mode {
        run: &run,
        agree,
        verdict: match agree {
            true => RunVerdict::Agree,
            false => RunVerdict::Differ,
        },
        exit: "recorded",
        rejected: None,
        not_compared: &[],
    };
    lines.push_str(&line.text());
    terminal::print(lines)
}
