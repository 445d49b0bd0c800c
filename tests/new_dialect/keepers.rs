//! The face of the toy: what it adds to the command line.

use crate::dialect::Toy;
use clap::{ArgMatches, Args, Command, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stickler_face::args::{Given, InitArgs, SubjectArgs};
use stickler_face::failure::code;
use stickler_face::init::output::{refuse_existing, suggest};
use stickler_face::init::starter::{Entry, Starter, SuggestedException, list};
use stickler_face::{Chosen, Done, Face, Failure, Named, line, terminal};
use stickler_judge::{AnySession, Exit};
use stickler_suite::config::Config;
use stickler_suite::{Proof, Registered};

/// Keepers on the command line.
#[derive(Default)]
pub struct Keepers(Toy);

/// Its own commands.
#[derive(Debug, Subcommand)]
enum Commands {
    /// Keep a value.
    Keep(KeepArgs),
}

#[derive(Debug, Args)]
struct KeepArgs {
    /// The value
    value: String,
}

/// Options about a keeper.
#[derive(Debug, Default, Args)]
#[group(skip)]
#[command(next_help_heading = "Options for keepers")]
struct KeeperOptions {
    /// The script that keeps
    #[arg(long, value_name = "FILE")]
    keeper: Option<PathBuf>,
}

impl Registered for Toy {
    fn rules_page(&self) -> &'static str {
        "docs/rules-toy.md"
    }

    fn rules_folders(&self) -> &'static [&'static str] {
        &[]
    }

    fn proofs(&self) -> Vec<Proof> {
        Vec::new()
    }
}

impl Face for Keepers {
    fn dialect(&self) -> &dyn Registered {
        &self.0
    }

    fn extend(&self, command: Command) -> Command {
        match command.get_name() {
            "stickler" => Commands::augment_subcommands(command),
            "check" | "init" => KeeperOptions::augment_args(command),
            _ => command,
        }
    }

    fn run(&self, _: &Chosen<'_>, all: &ArgMatches) -> Option<Result<ExitCode, Failure>> {
        let Commands::Keep(args) = line::own(all)?;
        let told = terminal::print(format!("kept: {}\n", args.value));
        Some(code(told.map(|()| Exit::Success)))
    }

    fn named(&self, given: &Given) -> Option<Named> {
        Some(Named {
            file: given.file("keeper")?,
            why: "the subject is a keeper",
        })
    }

    fn amend(&self, args: &SubjectArgs, config: &mut Config) -> Result<(), Failure> {
        let own: KeeperOptions = args.given.options()?;
        if let Some(keeper) = own.keeper {
            config.subject.command = command(&keeper);
        }
        Ok(())
    }

    fn traits(&self, _: &[AnySession]) -> Vec<String> {
        Vec::new()
    }

    fn init(&self, chosen: &Chosen<'_>, args: &InitArgs) -> Done {
        refuse_existing(args, &args.output)?;
        let own: KeeperOptions = args.given.options()?;
        let starter = Starter {
            describes: "a keeper".to_owned(),
            subject: vec![Entry::new(
                "command",
                list(&command(&own.keeper.unwrap_or_default())),
            )],
            blocks: Vec::new(),
            rules: ["TY101", "TY102"].map(|code| SuggestedException::new(code, "ticket 12")),
        };
        let text = starter.text(&args.output, self.vocabulary())?;
        suggest(args, chosen, &args.output, &text, "nothing")?;
        Ok(Exit::Success)
    }
}

/// A session has a folder of its own, so the path must be absolute.
fn command(keeper: &Path) -> Vec<String> {
    let keeper = std::path::absolute(keeper).expect("a path");
    vec!["sh".to_owned(), keeper.display().to_string()]
}
