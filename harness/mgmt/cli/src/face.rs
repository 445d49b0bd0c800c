//! mgmt resources on the command line.

use crate::args::{CaseOptions, Commands, InitOptions, SubjectOptions};
use crate::{cases, demo, diff, go, graph, init};
use clap::{ArgMatches, Args, Command, Subcommand};
use mgmt_protocol::Session;
use std::collections::BTreeSet;
use std::process::ExitCode;
use stickler_conform::Table;
use stickler_face::args::{CheckArgs, Given, InitArgs, SubjectArgs, instead_of_suite};
use stickler_face::conform::{self, Conforming};
use stickler_face::demo::Demo;
use stickler_face::doctor::Item;
use stickler_face::failure::code;
use stickler_face::{Chosen, Comparison, Done, Face, Failure, Schema, line};
use stickler_judge::AnySession;
use stickler_suite::Registered;
use stickler_suite::config::{Config, Example};
use stickler_transcript::Bytes;

/// How many times as long as usual sessions take with the race detector.
const RACING: u32 = 4;

/// mgmt on the command line.
pub struct Mgmt;

impl Face for Mgmt {
    fn dialect(&self) -> &dyn Registered {
        &mgmt_suite::Mgmt
    }

    fn extend(&self, command: Command) -> Command {
        match command.get_name() {
            "stickler" => Commands::augment_subcommands(command),
            "check" => {
                let command = CaseOptions::augment_args(command);
                SubjectOptions::augment_args(instead_of_suite(command, "cases"))
            }
            "fuzz" | "min" | "snap" => SubjectOptions::augment_args(command),
            "init" => InitOptions::augment_args(command),
            _ => command,
        }
    }

    fn run(&self, chosen: &Chosen<'_>, all: &ArgMatches) -> Option<Result<ExitCode, Failure>> {
        let Commands::Graph(args) = line::own(all)?;
        Some(code(graph::run(chosen, &args)))
    }

    fn takes_folders(&self) -> bool {
        true
    }

    fn help(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("{folders}", "a Go package"),
            ("{replays}", "replay recorded graphs of mgmt"),
        ]
    }

    fn amend(&self, args: &SubjectArgs, config: &mut Config) -> Result<(), Failure> {
        let own: SubjectOptions = args.given.options()?;
        let subject = &mut config.subject;
        if subject.path.is_none() {
            subject.path = Some(".".into());
        }
        if !own.kinds.is_empty() {
            subject.kinds.clone_from(&own.kinds);
            let is_named = |example: &Example| {
                let kind = example.kind.as_ref();
                kind.is_none_or(|kind| own.kinds.contains(kind))
            };
            config.examples.retain(is_named);
            config.invalid.retain(is_named);
        }
        if own.race {
            mgmt_suite::detect_races(config);
        }
        if own.with_engine {
            mgmt_suite::with_engine(config);
        }
        Ok(())
    }

    fn slowness(&self, given: &Given) -> Result<u32, Failure> {
        let own: SubjectOptions = given.options()?;
        Ok(if own.race { RACING } else { 1 })
    }

    fn check(&self, chosen: &Chosen<'_>, args: &CheckArgs) -> Result<Option<Done>, Failure> {
        let own: CaseOptions = args.subject.given.options()?;
        let folder = own.cases.as_deref();
        Ok(folder.map(|folder| cases::run(chosen, args, folder, own.accept)))
    }

    fn traits(&self, sessions: &[AnySession]) -> Vec<String> {
        let kinds: BTreeSet<&String> = sessions
            .iter()
            .flat_map(|one| one.typed::<Session>().kinds.keys())
            .collect();
        match kinds.len() {
            0 => Vec::new(),
            n => vec![stickler_report::count(n, "kind")],
        }
    }

    fn runs_folder(&self, argv: &[Bytes]) -> bool {
        mgmt_suite::is_host(argv)
    }

    fn why_failed(&self, session: &AnySession, exchange: usize) -> Option<String> {
        let session: &Session = session.typed();
        let call = session
            .exchanges
            .iter()
            .find(|call| call.number == exchange)?;
        call.panic().or_else(|| call.error())
    }

    fn remarks(&self, config: &Config, sessions: &[AnySession]) -> Vec<String> {
        let sessions = sessions.iter().map(|session| session.typed::<Session>());
        let idle = sessions.flat_map(mgmt_protocol::drifts);
        let idle = idle.filter(|one| one.idle && one.failed.is_none());
        let mut remarks: Vec<String> = idle
            .map(|one| {
                let command = mgmt_suite::drift_command(config, one.example, one.words);
                format!(
                    "the example \"{}\": its drift command `{command}` changes nothing, so it tests nothing",
                    one.example
                )
            })
            .collect();
        remarks.dedup();
        remarks
    }

    fn example_hint(&self, _: &Config, _: &[AnySession]) -> Option<String> {
        Some("`stickler init` writes a suggestion for each kind".to_owned())
    }

    fn init(&self, chosen: &Chosen<'_>, args: &InitArgs) -> Done {
        init::run(chosen, args)
    }

    fn demo(&self) -> Option<Demo> {
        Some(demo::DEMO)
    }

    fn comparison(&self) -> Option<Comparison> {
        Some(Comparison {
            subjects: "mgmt graphs",
            // Recordings of graphs hold their input.
            is_chosen: |args| args.file.is_none() && args.recorded.is_some(),
            run: |_, args| diff::run(args),
        })
    }

    fn conformance(&self, asked: &Conforming<'_>) -> Option<Result<Box<dyn Table>, Failure>> {
        Some(conform::table::<mgmt_conform::Situations>(asked))
    }

    fn doctor(&self) -> Vec<Item> {
        let mut items = go::items();
        items.push(Item::peer("mgmt", &[], |_| String::new()));
        items
    }

    fn schemas(&self) -> Vec<Schema> {
        vec![
            Schema {
                name: "graph",
                about: "A line of `stickler graph --format json`",
                place: 41,
                text: |_| mgmt_graph::json_schema().to_owned(),
            },
            Schema {
                name: "conform-situation-mgmt",
                about: "A situation of `stickler conform` for mgmt",
                place: 67,
                text: |_| mgmt_conform::SCHEMA.to_owned(),
            },
        ]
    }
}
