//! What a dialect adds to the command line.

use crate::args::{CheckArgs, DiffArgs, Given, InitArgs, SubjectArgs};
use crate::conform::Conforming;
use crate::demo::Demo;
use crate::dialects::{Chosen, Dialects};
use crate::doctor::Item;
use crate::failure::{Done, Failure};
use clap::{ArgMatches, Command};
use std::path::PathBuf;
use std::process::ExitCode;
use stickler_conform::{Maker, Table};
use stickler_judge::{AnySession, Idle, unsuccessful};
use stickler_suite::config::Config;
use stickler_suite::{Bench, Checked, Harvest, Registered, Speech, Vocabulary};
use stickler_transcript::Bytes;

/// A dialect as the command line shows it.
pub trait Face {
    /// The dialect.
    fn dialect(&self) -> &dyn Registered;

    /// Its words.
    fn vocabulary(&self) -> &'static Vocabulary {
        self.dialect().vocabulary()
    }

    /// Adds its options to a command, which it knows by its name, and its own commands to `stickler`.
    /// [`crate::line`] says where they stand in the help.
    fn extend(&self, command: Command) -> Command {
        command
    }

    /// Runs the command of a command line, if it is one of its own. It is the chosen dialect itself.
    fn run(&self, _: &Chosen<'_>, _: &ArgMatches) -> Option<Result<ExitCode, Failure>> {
        None
    }

    /// The options that it shares with some other dialects, such as `--interpreter`. Those that it adds itself have a
    /// heading that names its subjects. `--` is a command line instead of the subject.
    fn shared_options(&self) -> &'static [&'static str] {
        &[]
    }

    /// Its options that describe one subject alone.
    fn single_options(&self) -> &'static [&'static str] {
        &[]
    }

    /// The file that describes the subject instead of `stickler.toml`, if one of its options names one.
    fn named(&self, _: &Given) -> Option<Named> {
        None
    }

    /// Its words in the help of neutral commands, by the marks of [`crate::line`].
    fn help(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Is a subject a folder?
    fn takes_folders(&self) -> bool {
        false
    }

    /// Adds the command line's options about the subject and its items to a configuration.
    ///
    /// # Errors
    /// If they make no sense.
    fn amend(&self, args: &SubjectArgs, config: &mut Config) -> Result<(), Failure>;

    /// How requests are written.
    ///
    /// # Errors
    /// If the options cannot be read.
    fn speech(&self, _: &Given) -> Result<Speech, Failure> {
        Ok(Speech::Agent)
    }

    /// How many times as long as usual sessions take, roughly.
    ///
    /// # Errors
    /// If the options cannot be read.
    fn slowness(&self, _: &Given) -> Result<u32, Failure> {
        Ok(1)
    }

    /// What `stickler check` does instead of the suite, if one of its options says so. It is the chosen dialect itself.
    ///
    /// # Errors
    /// If the options cannot be read.
    fn check(&self, _: &Chosen<'_>, _: &CheckArgs) -> Result<Option<Done>, Failure> {
        Ok(None)
    }

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
    fn example_options(&self) -> &'static str {
        "an [[example]] in stickler.toml"
    }

    /// What else the author should know, such as a command of the description that does nothing.
    fn remarks(&self, _config: &Config, _sessions: &[AnySession]) -> Vec<String> {
        Vec::new()
    }

    /// What to try next if there is no example, in words that continue a sentence.
    fn example_hint(&self, _config: &Config, _sessions: &[AnySession]) -> Option<String> {
        None
    }

    /// What a campaign without examples begins with.
    ///
    /// # Errors
    /// If a session cannot run.
    fn harvest(&self, _: &Bench<'_>) -> Result<Option<Harvest>, Failure> {
        Ok(None)
    }

    /// `stickler init`.
    ///
    /// # Errors
    /// As the command.
    fn init(&self, chosen: &Chosen<'_>, args: &InitArgs) -> Done;

    /// The modules of `stickler demo`, if the dialect has some.
    fn demo(&self) -> Option<Demo> {
        None
    }

    /// What `stickler diff` compares, if it compares something.
    fn comparison(&self) -> Option<Comparison> {
        None
    }

    /// What `stickler conform` plays with an agent under test, if the dialect has situations.
    fn conformance(&self, _: &Conforming<'_>) -> Option<Result<Box<dyn Table>, Failure>> {
        None
    }

    /// What `stickler fuzz --agent` plays with an agent under test, if the dialect can make up situations.
    fn situations(&self, _: &Conforming<'_>) -> Option<Result<Box<dyn Maker>, Failure>> {
        None
    }

    /// What `stickler doctor` looks at: what subjects need beside an interpreter, and the deployed agent.
    fn doctor(&self) -> Vec<Item> {
        Vec::new()
    }

    /// Further schemas for `stickler schema`.
    fn schemas(&self) -> Vec<Schema> {
        Vec::new()
    }
}

/// A file that describes a subject.
pub struct Named {
    /// The file.
    pub file: PathBuf,
    /// What the subject is then, as a sentence without its end.
    pub why: &'static str,
}

/// What `stickler diff` compares for a dialect.
pub struct Comparison {
    /// What is compared, as the headings of its options have it: "Options for …".
    pub subjects: &'static str,
    /// Does it take these arguments? The usual dialect is asked last.
    pub is_chosen: fn(&DiffArgs) -> bool,
    /// Runs the comparison.
    pub run: fn(&Chosen<'_>, &DiffArgs) -> Done,
}

/// A published schema.
#[derive(Clone, Copy)]
pub struct Schema {
    /// Its name.
    pub name: &'static str,
    /// What it describes, for the help.
    pub about: &'static str,
    /// Where it stands in the help: those of the command line itself stand at 10, 20, 30, …
    pub place: usize,
    /// Its text.
    pub text: fn(&Dialects) -> String,
}
