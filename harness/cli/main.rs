//! The command line: one file per command, and what they share.

mod agent;
mod apply;
mod args;
mod bar;
mod baseline;
mod check;
mod chosen;
mod completions;
mod date;
mod description;
mod diff;
mod doctor;
mod equal;
mod explain;
mod face;
mod failure;
#[cfg(feature = "campaign")]
mod fuzz;
mod graph;
mod guess;
mod harvest;
mod init;
mod installed;
mod interrupt;
mod judge_cmd;
mod library;
mod look;
mod man;
mod missing;
mod options;
mod outputs;
mod parsed;
mod placeholder;
mod policy;
mod programs;
mod promised;
mod puppet;
mod record;
mod recording;
mod replay;
mod reproducer;
mod resource;
mod rules;
mod schema;
mod side_by_side;
mod snap;
mod snapfile;
mod subject;
mod terminal;
mod transcripts;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Command::Check(args) => check::run(&args),
        #[cfg(feature = "campaign")]
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Snap(args) => snap::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Judge(args) => judge_cmd::run(&args),
        Command::Policy(args) => policy::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Equal(args) => equal::run(&args),
        Command::Apply(args) => apply::run(&args),
        Command::Resource(args) => resource::run(&args),
        Command::Graph(args) => graph::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
        // Exits with the module's exit code.
        Command::Interpose(args) => {
            match cfengine_diff::recorder::run(&args.stand_in, &args.arguments) {
                Ok(code) => return ExitCode::from(code),
                Err(error) => Err(failure::Failure::harness(error.to_string())),
            }
        }
        // Ends as the module ends.
        Command::Record(args) => match record::run(&args) {
            Ok(code) => return code,
            Err(failure) => Err(failure),
        },
        Command::Scripted(args) => match cfengine_diff::scripted::run(&args.file) {
            Ok(code) => return ExitCode::from(code),
            Err(error) => Err(failure::Failure::harness(error.to_string())),
        },
        // Exits with cf-agent's exit codes.
        Command::Agent(args) => match agent::run(&args) {
            Ok(code) => return code,
            Err(failure) => Err(failure),
        },
    };
    match done {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(failure) => {
            terminal::error(&failure.message);
            ExitCode::from(failure.exit as u8)
        }
    }
}
