//! What the command line needs to know of a dialect, and the one place that names them all.

mod promise_modules;

use crate::args::{InitArgs, SubjectArgs};
use crate::failure::{Done, Failure};
use cfengine_suite::PromiseModules;
use stickler_judge::Rule;
use stickler_suite::config::Config;
use stickler_suite::{Checked, Dialect};

/// A dialect as the command line shows it.
pub trait Face: Dialect {
    /// Its rules for agents, which sessions that an agent drove are judged by.
    fn rules_for_agents(&self) -> Vec<&'static Rule<Self::Session>> {
        Vec::new()
    }

    /// Its rules for subjects, and those for agents.
    fn all_rules(&self) -> Vec<&'static Rule<Self::Session>> {
        let mut rules = self.rules();
        rules.extend(self.rules_for_agents());
        rules
    }

    /// Adds to a configuration what the command line says of the subject and its items.
    ///
    /// # Errors
    /// Where that makes no sense.
    fn amend(&self, args: &SubjectArgs, config: &mut Config) -> Result<(), Failure>;

    /// What sessions show of the subject, a few words each.
    fn traits(&self, sessions: &[Self::Session]) -> Vec<String>;

    /// The dialect and what is known of the subject, as facts begin.
    fn described(&self, traits: &[String]) -> String {
        let dialect = self.vocabulary().dialect;
        match traits {
            [] => dialect.to_owned(),
            traits => format!("{dialect} ({})", traits.join(", ")),
        }
    }

    /// What a check has found out beside its findings, a few words each.
    fn found(&self, _checked: &Checked<Self::Session>) -> Vec<String> {
        Vec::new()
    }

    /// The options of the command line that give an example.
    fn example_options(&self) -> &'static str;

    /// What to try next where there is no example, as words that go on a sentence.
    fn example_hint(&self, config: &Config, sessions: &[Self::Session]) -> Option<String>;

    /// `stickler init`
    ///
    /// # Errors
    /// As the command.
    fn init(&self, args: &InitArgs) -> Done;
}

/// Something to do with a dialect, whichever it is.
pub trait Job {
    /// What comes of it.
    type Done;
    /// Does it.
    fn with<F: Face>(self, face: &F) -> Self::Done;
}

/// The dialect where nothing says which.
pub const USUAL: &str = "promise-module";

/// Does a job with the dialect of this name.
///
/// # Errors
/// Where there is none.
pub fn with<J: Job>(dialect: &str, job: J) -> Result<J::Done, Failure> {
    match dialect {
        "promise-module" => Ok(job.with(&PromiseModules::default())),
        other => Err(Failure::usage(format!(
            "dialect \"{other}\" is not supported yet; this Stickler knows \"promise-module\""
        ))),
    }
}

/// Does a job with all dialects.
pub fn each<J: Job + Copy>(job: J) -> Vec<J::Done> {
    vec![job.with(&PromiseModules::default())]
}
