//! What the command line needs to know about a dialect.

mod mgmt;
mod promise_modules;
mod resource_api;

use crate::args::{InitArgs, SubjectArgs};
use crate::chosen::Chosen;
use crate::failure::{Done, Failure};
use std::path::PathBuf;
use stickler_dialects::{Registered, dialects, names};
use stickler_judge::{AnySession, Idle, unsuccessful};
use stickler_suite::Checked;
use stickler_suite::config::Config;
#[cfg(feature = "campaign")]
use stickler_suite::{Bench, Harvest};
use stickler_transcript::Bytes;

/// A dialect as the command line shows it.
pub trait Face: Registered {
    /// Is a subject a folder, such as a Puppet module?
    fn takes_folders(&self) -> bool {
        false
    }

    /// The options of the command line that not every dialect has, and that have an effect on this
    /// one's subjects. `--` is a command line instead of the subject.
    fn options(&self) -> &'static [&'static str];

    /// What `stickler diff` compares with the dialect's own agent, and the options of `diff` that
    /// have an effect on nothing else.
    fn compared(&self) -> (&'static str, &'static [&'static str]);

    /// Adds the command line's options about the subject and its items to a configuration.
    ///
    /// # Errors
    /// If they make no sense.
    fn amend(&self, args: &SubjectArgs, config: &mut Config) -> Result<(), Failure>;

    /// What sessions show about the subject, in a few words each.
    fn traits(&self, sessions: &[AnySession]) -> Vec<String>;

    /// The dialect and what is known about the subject; the list of facts begins with this.
    fn described(&self, traits: &[String]) -> String {
        let dialect = self.vocabulary().dialect;
        match traits {
            [] => dialect.to_owned(),
            traits => format!("{dialect} ({})", traits.join(", ")),
        }
    }

    /// Further results of a check in addition to its findings, in a few words each.
    fn found(&self, _checked: &Checked) -> Vec<String> {
        Vec::new()
    }

    /// Does a command line start the code in a folder? Else the subject is a file.
    fn runs_folder(&self, _argv: &[Bytes]) -> bool {
        false
    }

    /// The examples that the subject could not evaluate, with the reasons.
    fn unevaluated(&self, _sessions: &[AnySession]) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Why an exchange failed, as a clause, if the subject said so.
    fn why_failed(&self, _session: &AnySession, _exchange: usize) -> Option<String> {
        None
    }

    /// The examples that prove nothing: they were not evaluated, or never succeeded.
    fn idle(&self, sessions: &[AnySession]) -> Vec<Idle> {
        let unevaluated = self.unevaluated(sessions).into_iter();
        let unevaluated = unevaluated.map(|(example, why)| Idle {
            example,
            evaluated: false,
            why,
        });
        let failing = unsuccessful(sessions).into_iter();
        let failing = failing.map(|(example, (session, claim))| Idle {
            example: example.to_owned(),
            evaluated: true,
            why: self
                .why_failed(session, claim.exchange)
                .unwrap_or_else(|| "no reason was given".to_owned()),
        });
        unevaluated.chain(failing).collect()
    }

    /// Why there are no items that the subject could evaluate, if that is so.
    fn without_items(&self, _config: &Config) -> Option<&'static str> {
        None
    }

    /// The folders in which an agent keeps the libraries of its subjects.
    fn library_folders(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// The options of the command line that give an example.
    fn example_options(&self) -> &'static str;

    /// What to try next if there is no example, in words that continue a sentence.
    fn example_hint(&self, config: &Config, sessions: &[AnySession]) -> Option<String>;

    /// What a campaign without examples begins with.
    ///
    /// # Errors
    /// If a session cannot run.
    #[cfg(feature = "campaign")]
    fn harvest(&self, _: &Bench<'_>) -> Result<Option<Harvest>, Failure> {
        Ok(None)
    }

    /// `stickler init`, which also says why the dialect was chosen.
    ///
    /// # Errors
    /// As the command.
    fn init(&self, args: &InitArgs, chosen: &Chosen) -> Done;
}

/// All dialects.
pub fn all() -> Vec<Box<dyn Face>> {
    dialects!()
}

/// The dialect of this name.
///
/// # Errors
/// If there is no such dialect.
pub fn named(dialect: &str) -> Result<Box<dyn Face>, Failure> {
    let found = all().into_iter();
    let mut found = found.filter(|face| face.vocabulary().dialect == dialect);
    found.next().ok_or_else(|| {
        let known = names().into_iter().map(|name| format!("\"{name}\""));
        let known = known.collect::<Vec<_>>().join(" and ");
        Failure::usage(format!(
            "there is no dialect \"{dialect}\"; this Stickler knows {known}"
        ))
    })
}
