//! Options that not every dialect has.

use crate::args::{Cli, Given};
use crate::face::{self, Face};
use crate::failure::Failure;
use clap::{Arg, Command, CommandFactory};

/// Accepts the given options, if each has an effect on the subjects of a dialect.
///
/// # Errors
/// If only other dialects have one of them.
pub fn fit(face: &dyn Face, given: &Given) -> Result<(), Failure> {
    let own = (face.vocabulary().subjects, face.options());
    refuse_others(own, &of_subjects(), &Cli::command(), given)
}

/// Accepts the given options of `diff`, if each has an effect on what is compared.
///
/// # Errors
/// If only other dialects have one of them.
pub fn fit_diff(dialect: &str, given: &Given) -> Result<(), Failure> {
    let own = face::named(dialect)?.compared();
    let all = Cli::command();
    let diff = all.find_subcommand("diff").unwrap_or(&all);
    refuse_others(own, &of_diff(), diff, given)
}

/// What is worked on, and the options that it alone has.
type Known = (&'static str, &'static [&'static str]);

fn refuse_others(
    own: Known,
    dialects: &[Known],
    command: &Command,
    given: &Given,
) -> Result<(), Failure> {
    for option in given.0.iter().filter_map(|id| written(command, id)) {
        let has = |(_, options): &&Known| options.contains(&&option[..]);
        let others: Vec<&str> = dialects.iter().filter(has).map(|(name, _)| *name).collect();
        if !others.is_empty() && !own.1.contains(&&option[..]) {
            return Err(Failure::usage(format!(
                "{option} is for {}; it has no effect on {}",
                others.join(" and "),
                own.0
            )));
        }
    }
    Ok(())
}

/// What each dialect calls its subjects, and the options that it has.
fn of_subjects() -> Vec<Known> {
    let all = face::all().into_iter();
    all.map(|face| (face.vocabulary().subjects, face.options()))
        .collect()
}

/// What `diff` compares for each dialect, and the options that only this has.
fn of_diff() -> Vec<Known> {
    face::all().iter().map(|face| face.compared()).collect()
}

/// An option of a command, or of one below it, as the user writes it.
fn written(command: &Command, id: &str) -> Option<String> {
    let arg = arguments(command).find(|arg| arg.get_id() == id)?;
    match arg.get_long() {
        Some(long) => Some(format!("--{long}")),
        None if arg.is_last_set() => Some("--".to_owned()),
        None => None,
    }
}

/// The arguments of a command and of those below it.
fn arguments(command: &Command) -> Box<dyn Iterator<Item = &Arg> + '_> {
    let below = command.get_subcommands().flat_map(arguments);
    Box::new(command.get_arguments().chain(below))
}

#[cfg(test)]
mod tests {
    use super::{arguments, of_diff, of_subjects};
    use crate::args::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_help_says_for_which_dialect_an_option_is() {
        let all = Cli::command();
        let examining = ["check", "fuzz", "snap", "init"];
        let commands = all
            .get_subcommands()
            .filter(|command| examining.contains(&command.get_name()));
        let dialects = of_subjects();
        for arg in commands.flat_map(arguments) {
            let Some(long) = arg.get_long() else {
                continue;
            };
            let option = format!("--{long}");
            let has = |options: &[&str]| options.contains(&&option[..]);
            let own: Vec<_> = dialects.iter().filter(|(_, all)| has(all)).collect();
            let heading = match own[..] {
                [(subjects, _)] => Some(format!("Options for {subjects}")),
                _ => None,
            };
            assert_eq!(arg.get_help_heading(), heading.as_deref(), "{option}");
        }
    }

    #[test]
    fn the_help_of_diff_groups_options_by_dialect() {
        let all = Cli::command();
        let diff = all.find_subcommand("diff").expect("a command");
        let dialects = of_diff();
        for arg in diff.get_arguments() {
            let Some(long) = arg.get_long() else {
                continue;
            };
            let option = format!("--{long}");
            let mut own = dialects.iter();
            let own = own.find(|(_, options)| options.contains(&&option[..]));
            let heading = own.map(|(compared, _)| format!("Options for {compared}"));
            assert_eq!(arg.get_help_heading(), heading.as_deref(), "{option}");
        }
    }

    #[test]
    fn the_options_of_each_dialect_exist() {
        let all = Cli::command();
        let known: Vec<String> = arguments(&all)
            .filter_map(|arg| Some(format!("--{}", arg.get_long()?)))
            .collect();
        for (_, options) in of_subjects() {
            for option in options.iter().filter(|option| **option != "--") {
                assert!(known.iter().any(|one| one == option), "{option}");
            }
        }
    }
}
