//! The command line: one file per neutral command, and what they share. It knows no dialect: whoever starts it
//! passes the dialects.

mod args;
mod bar;
mod baseline;
mod check;
mod completions;
mod conform;
mod date;
mod demo;
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
use stickler_face::failure::code;
use stickler_face::{Dialects, Face, Failure, line, terminal};

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
    let mut each = dialects.each();
    if let Some(ended) = each.find_map(|own| own.face.run(&own, &matches)) {
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
        Command::Demo(args) => demo::run(dialects, &args),
        Command::Init(args) => init::run(dialects, &args),
        Command::Snap(args) => snap::run(dialects, &args),
        Command::Replay(args) => replay::run(dialects, &args),
        Command::Judge(args) => judge_cmd::run(dialects, &args),
        Command::Doctor(args) => doctor::run(dialects, &args),
        Command::Diff(args) => diff::run(dialects, &args),
        Command::Conform(args) => conform::run(dialects, &args),
        Command::Equal(args) => equal::run(dialects, &args),
        Command::Schema(args) => schema::run(dialects, &args),
        Command::Completions(args) => completions::run(dialects, &args),
        Command::Man(args) => man::run(dialects, &args),
    })
}

#[cfg(test)]
mod tests {
    use super::dialects;
    use clap::{Arg, Command};
    use stickler_face::Face;

    fn arguments(command: &Command) -> Vec<&Arg> {
        let below = command.get_subcommands().flat_map(arguments);
        command.get_arguments().chain(below).collect()
    }

    #[test]
    fn dialects_add_options_that_do_not_contradict_each_other() {
        dialects(stickler_dialects::faces())
            .line()
            .clone()
            .debug_assert();
    }

    #[test]
    fn a_heading_names_the_subjects_of_a_dialect_or_what_it_compares() {
        let dialects = dialects(stickler_dialects::faces());
        let compared = dialects.all().filter_map(Face::comparison);
        let mut known: Vec<&str> = compared.map(|one| one.subjects).collect();
        known.extend(dialects.words().iter().map(|words| words.subjects));
        for arg in arguments(dialects.line()) {
            let heading = arg
                .get_help_heading()
                .map(|text| text.strip_prefix("Options for "));
            assert!(
                heading.is_none_or(|own| own.is_some_and(|own| known.contains(&own))),
                "{arg}"
            );
        }
    }

    #[test]
    fn the_options_that_dialects_share_exist() {
        let dialects = dialects(stickler_dialects::faces());
        let all = arguments(dialects.line());
        let known: Vec<_> = all.iter().filter_map(|arg| arg.get_long()).collect();
        let own = dialects.all();
        let own = own.flat_map(|face| [face.shared_options(), face.single_options()].concat());
        for option in own.filter(|option| *option != "--") {
            assert!(known.contains(&option.trim_start_matches('-')), "{option}");
        }
    }
}
