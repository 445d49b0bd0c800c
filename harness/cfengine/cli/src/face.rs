//! Promise modules on the command line.

use crate::args::{Commands, DiffOptions, InitOptions, SpeechOptions, SubjectOptions};
use crate::{agent, campaign, demo, diff, harvest, init, installed, policy, promises, record};
use cfengine_protocol::wire::Protocol;
use cfengine_protocol::{Exchange, Session};
use cfengine_suite::PromiseModules;
use clap::{ArgMatches, Args, Command, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use stickler_conform::{Maker, Table};
use stickler_face::args::{Given, InitArgs, SubjectArgs};
use stickler_face::conform::{self, Conforming};
use stickler_face::demo::Demo;
use stickler_face::doctor::Item;
use stickler_face::failure::code;
use stickler_face::{Chosen, Comparison, Done, Face, Failure, Named, Schema, line};
use stickler_judge::AnySession;
use stickler_suite::config::Config;
use stickler_suite::{Bench, Checked, Harvest, Registered, Speech};
use stickler_transcript::{Event, Fate, Mode};

/// CFEngine on the command line.
#[derive(Default)]
pub struct Cfengine {
    modules: PromiseModules,
}

impl Face for Cfengine {
    fn dialect(&self) -> &dyn Registered {
        &self.modules
    }

    fn extend(&self, command: Command) -> Command {
        match command.get_name() {
            "stickler" => Commands::augment_subcommands(command),
            "check" | "fuzz" | "min" => SpeechOptions::augment_args(of_subject(command)),
            "snap" => of_subject(command),
            "init" => InitOptions::augment_args(command),
            "diff" => DiffOptions::augment_args(command)
                .mut_arg("file", |file| {
                    let file = file.required_unless_present_any(["generate"]);
                    file.conflicts_with("generate")
                })
                .mut_arg("store", |store| store.conflicts_with("generate"))
                .mut_arg("recorded", |recorded| recorded.conflicts_with("generate")),
            _ => command,
        }
    }

    fn run(&self, chosen: &Chosen<'_>, all: &ArgMatches) -> Option<Result<ExitCode, Failure>> {
        Some(match line::own(all)? {
            Commands::Record(args) => record::run(chosen, &args),
            Commands::Policy(args) => code(policy::run(&args)),
            Commands::Agent(args) => agent::run(&args),
            Commands::Interpose(args) => ended(cfengine_diff::recorder::run(
                &args.stand_in,
                &args.arguments,
            )),
            Commands::Scripted(args) => ended(cfengine_diff::scripted::run(&args.file)),
        })
    }

    fn shared_options(&self) -> &'static [&'static str] {
        &["--", "--interpreter"]
    }

    fn single_options(&self) -> &'static [&'static str] {
        &["--policy", "--promiser"]
    }

    fn named(&self, given: &Given) -> Option<Named> {
        Some(Named {
            file: given.file("policy")?,
            why: "the subject is that of a policy",
        })
    }

    fn help(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("{found}", "the one that `--policy` names"),
            (
                "{comparisons}",
                "Run a policy with the reference agent and with cf-agent",
            ),
            ("{files}", "A CFEngine policy"),
            ("{peers}", "cf-agent"),
        ]
    }

    fn amend(&self, args: &SubjectArgs, config: &mut Config) -> Result<(), Failure> {
        promises::amend(args, config)
    }

    fn speech(&self, given: &Given) -> Result<Speech, Failure> {
        let own: SpeechOptions = given.options()?;
        Ok(own.speaker.into())
    }

    fn traits(&self, sessions: &[AnySession]) -> Vec<String> {
        let mut traits: Vec<&str> = Vec::new();
        let mut add = |flag| {
            if !traits.contains(&flag) {
                traits.push(flag);
            }
        };
        let headers = sessions
            .iter()
            .flat_map(|one| one.typed::<Session>().headers());
        for header in headers.filter_map(Exchange::header) {
            match header.protocol() {
                Some(Protocol::Json) => add("json_based"),
                Some(Protocol::Line) => add("line_based"),
                None => {}
            }
            if header.action_policy() {
                add("action_policy");
            }
        }
        traits.into_iter().map(str::to_owned).collect()
    }

    fn found(&self, checked: &Checked) -> Vec<String> {
        in_policies(&checked.sessions).into_iter().collect()
    }

    fn library_folders(&self) -> Vec<PathBuf> {
        let own = std::env::var_os("CFENGINE_TEST_OVERRIDE_WORKDIR").map(PathBuf::from);
        let usual = ["/var/cfengine", "/var/lib/cfengine3"].map(PathBuf::from);
        let folders = own.into_iter().chain(usual).flat_map(|folder| {
            let parts = ["modules/promises", "inputs/modules/promises"];
            parts.map(|part| folder.join(part))
        });
        folders.collect()
    }

    fn example_options(&self) -> &'static str {
        "--promiser and --attribute"
    }

    fn why_failed(&self, session: &AnySession, exchange: usize) -> Option<String> {
        let session: &Session = session.typed();
        cfengine_protocol::why_failed(session, exchange)
    }

    fn example_hint(&self, config: &Config, sessions: &[AnySession]) -> Option<String> {
        let names = harvest::attribute_names(config, sessions);
        (!names.is_empty()).then(|| format!("it found these attribute names: {}", names.join(", ")))
    }

    fn harvest(&self, bench: &Bench<'_>) -> Result<Option<Harvest>, Failure> {
        campaign::harvest(bench).map(Some)
    }

    fn init(&self, chosen: &Chosen<'_>, args: &InitArgs) -> Done {
        init::run(chosen, args)
    }

    fn demo(&self) -> Option<Demo> {
        Some(demo::DEMO)
    }

    fn comparison(&self) -> Option<Comparison> {
        Some(Comparison {
            subjects: "CFEngine policies",
            is_chosen: |_| true,
            run: |_, args| diff::run(args),
        })
    }

    fn conformance(&self, asked: &Conforming<'_>) -> Option<Result<Box<dyn Table>, Failure>> {
        Some(conform::table::<cfengine_conform::Situations>(asked))
    }

    fn situations(&self, asked: &Conforming<'_>) -> Option<Result<Box<dyn Maker>, Failure>> {
        Some(crate::situations::maker(asked))
    }

    fn schemas(&self) -> Vec<Schema> {
        vec![Schema {
            name: "conform-situation",
            about: "A situation of `stickler conform` for cf-agent",
            place: 65,
            text: |_| cfengine_conform::SCHEMA.to_owned(),
        }]
    }

    fn doctor(&self) -> Vec<Item> {
        let measured = |version: &str| format!("  ({})", installed::measured(version));
        vec![Item::peer("cf-agent", &installed::FOLDERS, measured)]
    }
}

/// The options about the subject.
fn of_subject(command: Command) -> Command {
    SubjectOptions::augment_args(command).mut_arg("interpreter", |interpreter| {
        interpreter.help("The program that runs the module, like `interpreter` in a promise block")
    })
}

/// The exit code of a program in the place of a module.
fn ended<E: std::fmt::Display>(ended: Result<u8, E>) -> Result<ExitCode, Failure> {
    let ended = ended.map_err(|error| Failure::harness(error.to_string()))?;
    Ok(ExitCode::from(ended))
}

/// The reference agent's results for the promises that it sent, without dry runs.
fn in_policies(sessions: &[AnySession]) -> Option<String> {
    let driven = sessions.iter().filter(|session| {
        let agent = session.case().agent.as_ref();
        agent.is_some_and(|agent| agent.mode == Mode::Normal)
    });
    let events = driven.flat_map(|session| &session.reading().transcript().events);
    let count = |fate| {
        let of = |event: &&Event| matches!(event, Event::Outcome(outcome) if outcome.outcome == fate && !outcome.unresolved);
        events.clone().filter(of).count()
    };
    let words: Vec<String> = [
        (count(Fate::Changed), "repaired"),
        (count(Fate::Unchanged), "kept"),
        (count(Fate::Failed), "not kept"),
    ]
    .iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect();
    (!words.is_empty()).then(|| format!("in policies {}", words.join(", ")))
}
