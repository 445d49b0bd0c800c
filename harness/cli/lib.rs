//! The command line: one file per neutral command, and what they share. It knows no dialect: whoever starts it
//! passes the dialects.

mod args;
mod bar;
mod baseline;
mod check;
mod completions;
mod date;
mod diff;
mod doctor;
mod equal;
mod explain;
#[cfg(feature = "campaign")]
mod fuzz;
mod init;
mod judge_cmd;
mod man;
mod outputs;
mod parsed;
mod replay;
mod reproducer;
mod rules;
mod schema;
mod snap;
mod snapfile;
mod transcripts;

use args::{Cli, Command};
use clap::{CommandFactory, FromArgMatches};
use std::ffi::OsString;
use std::process::ExitCode;
use stickler_face::failure::{Failure, code};
use stickler_face::{Dialects, Face, line, terminal};

/// Runs a command line with these dialects, the usual one first.
pub fn run(faces: Vec<Box<dyn Face>>, words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let dialects = dialects(faces);
    let ended = command(&dialects, words);
    ended.unwrap_or_else(|failure| {
        terminal::error(&failure.message);
        ExitCode::from(failure.exit as u8)
    })
}

/// The dialects with the whole command line.
fn dialects(faces: Vec<Box<dyn Face>>) -> Dialects {
    let neutral = schema::completed(Cli::command(), &faces);
    let line = line::whole(neutral, &faces);
    Dialects::new(faces, line)
}

fn command(
    dialects: &Dialects,
    words: impl IntoIterator<Item = OsString>,
) -> Result<ExitCode, Failure> {
    let mut line = dialects.line().clone();
    let matches = line.try_get_matches_from_mut(words);
    let matches = matches.unwrap_or_else(|error| error.exit());
    if let Some(ended) = dialects.all().find_map(|face| face.run(dialects, &matches)) {
        return ended;
    }
    let cli =
        Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut line).exit());
    code(match cli.command {
        Command::Check(args) => check::run(dialects, &args),
        #[cfg(feature = "campaign")]
        Command::Fuzz(args) => fuzz::run(dialects, &args),
        Command::Explain(args) => explain::run(dialects, &args),
        Command::Rules(args) => rules::run(dialects, &args),
        Command::Init(args) => init::run(dialects, &args),
        Command::Snap(args) => snap::run(dialects, &args),
        Command::Replay(args) => replay::run(dialects, &args),
        Command::Judge(args) => judge_cmd::run(dialects, &args),
        Command::Doctor(args) => doctor::run(dialects, &args),
        Command::Diff(args) => diff::run(dialects, &args),
        Command::Equal(args) => equal::run(dialects, &args),
        Command::Schema(args) => schema::run(dialects, &args),
        Command::Completions(args) => completions::run(dialects, &args),
        Command::Man(args) => man::run(dialects, &args),
    })
}
