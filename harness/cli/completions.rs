//! `stickler completions`: a script that completes command lines.

use crate::args::{Cli, CompletionsArgs};
use crate::failure::Done;
use crate::terminal;
use clap::{Command, CommandFactory};
use stickler_judge::Exit;

pub fn run(args: &CompletionsArgs) -> Done {
    let all = Cli::command();
    // The script would also complete commands that only Stickler itself calls.
    let shown = all
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    let mut command = Command::new("stickler")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommands(shown.cloned());
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "stickler", &mut script);
    terminal::print(script)?;
    Ok(Exit::Success)
}
