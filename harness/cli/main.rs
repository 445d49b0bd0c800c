//! The command line: one file a command, and what they share.

mod args;
mod baseline;
mod check;
mod date;
mod explain;
mod failure;
mod harvest;
mod reproducer;
mod rules;
mod subject;
mod terminal;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Command::Check(args) => check::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Rules(args) => rules::run(&args),
    };
    match done {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(failure) => {
            terminal::error(&failure.message);
            ExitCode::from(failure.exit as u8)
        }
    }
}
