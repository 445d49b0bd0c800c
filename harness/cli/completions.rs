//! `stickler completions`: a script that completes command lines.

use crate::args::CompletionsArgs;
use clap::Command;
use stickler_face::{Dialects, Done, terminal};
use stickler_judge::Exit;

pub fn run(dialects: &Dialects, args: &CompletionsArgs) -> Done {
    // The script would also complete commands that only Stickler itself calls.
    let all = dialects.line().get_subcommands();
    let shown = all.filter(|command| !command.is_hide_set());
    let mut command = Command::new("stickler")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommands(shown.cloned());
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "stickler", &mut script);
    terminal::print(script)?;
    Ok(Exit::Success)
}
