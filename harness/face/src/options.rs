//! Options that not every dialect has.

use crate::args::Given;
use crate::dialects::{Chosen, Dialects};
use crate::face::Face;
use crate::failure::Failure;
use clap::{Arg, Command};

/// How the headings of options begin that only some subjects have.
const HEADING: &str = "Options for ";

/// Accepts the given options, if each has an effect on the subjects of a dialect.
///
/// # Errors
/// If only other dialects have one of them.
pub fn fit(chosen: &Chosen<'_>, given: &Given) -> Result<(), Failure> {
    let Chosen { dialects, face, .. } = chosen;
    refuse_others(dialects, dialects.line(), face.vocabulary().subjects, given)
}

/// Accepts the given options of `diff`, if each has an effect on what is compared.
///
/// # Errors
/// If only other dialects have one of them.
pub fn fit_diff(dialects: &Dialects, compared: &str, given: &Given) -> Result<(), Failure> {
    let all = dialects.line();
    let diff = all.find_subcommand("diff").unwrap_or(all);
    refuse_others(dialects, diff, compared, given)
}

/// The given options as the user writes them.
pub fn written(dialects: &Dialects, given: &Given) -> Vec<String> {
    let all = given.ids().filter_map(|id| argument(dialects.line(), id));
    all.filter_map(as_written).collect()
}

fn refuse_others(
    dialects: &Dialects,
    command: &Command,
    own: &str,
    given: &Given,
) -> Result<(), Failure> {
    for arg in given.ids().filter_map(|id| argument(command, id)) {
        let Some(option) = as_written(arg) else {
            continue;
        };
        let owners = owners(dialects, arg, &option);
        if !owners.is_empty() && !owners.contains(&own) {
            return Err(Failure::usage(format!(
                "{option} is for {}; it has no effect on {own}",
                owners.join(" and ")
            )));
        }
    }
    Ok(())
}

/// What an option has an effect on. Nothing stands for all subjects.
fn owners<'a>(dialects: &'a Dialects, arg: &'a Arg, option: &str) -> Vec<&'a str> {
    let heading = arg.get_help_heading();
    if let Some(own) = heading.and_then(|heading| heading.strip_prefix(HEADING)) {
        return vec![own];
    }
    let shares = |face: &&dyn Face| face.shared_options().contains(&option);
    let all = dialects.all().filter(shares);
    all.map(|face| face.vocabulary().subjects).collect()
}

/// An option as the user writes it.
fn as_written(arg: &Arg) -> Option<String> {
    match arg.get_long() {
        Some(long) => Some(format!("--{long}")),
        None if arg.is_last_set() => Some("--".to_owned()),
        None => None,
    }
}

/// The argument of a command, or of one below it.
fn argument<'a>(command: &'a Command, id: &str) -> Option<&'a Arg> {
    let mut own = command.get_arguments();
    own.find(|arg| arg.get_id() == id).or_else(|| {
        let mut below = command.get_subcommands();
        below.find_map(|below| argument(below, id))
    })
}
