//! Which options the user gave.

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// The ids of the options and arguments of a command that the user gave. It adds no option.
#[derive(Clone, Debug, Default)]
pub struct Given(pub Vec<String>);

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let ids = matches.ids().map(clap::Id::as_str);
        Ok(Given(
            ids.filter(|id| is_given(id)).map(str::to_owned).collect(),
        ))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Given {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}
