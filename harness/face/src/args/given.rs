//! What the user gave to a command.

use crate::failure::Failure;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use std::path::PathBuf;

/// What the user gave to a command, with the options that dialects have added. It adds none itself.
#[derive(Clone, Debug, Default)]
pub struct Given(Option<ArgMatches>);

impl Given {
    /// The ids of the options and arguments that the user gave.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|matches| {
            let ids = matches.ids().map(clap::Id::as_str);
            ids.filter(|id| matches.value_source(id) == Some(ValueSource::CommandLine))
        })
    }

    /// The file of an option, if the command has the option and the user gave it.
    pub fn file(&self, id: &str) -> Option<PathBuf> {
        let file = self.0.as_ref()?.try_get_one::<PathBuf>(id);
        file.ok().flatten().cloned()
    }

    /// The options that a dialect has added to the command. Without a command line, none is given.
    ///
    /// # Errors
    /// If the dialect has added others.
    pub fn options<T: FromArgMatches + Default>(&self) -> Result<T, Failure> {
        let read = self.0.as_ref().map(T::from_arg_matches).transpose();
        let read = read.map_err(|error| Failure::harness(error.to_string()))?;
        Ok(read.unwrap_or_default())
    }
}

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(Given(Some(matches.clone())))
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
