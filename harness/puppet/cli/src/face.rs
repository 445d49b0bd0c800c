//! Puppet's Resource API on the command line.

use crate::args::{Commands, DiffOptions, SubjectOptions};
use crate::installed::{self, Installed, usual};
use crate::narrow::narrow;
use crate::{apply, demo, diff, init, resource};
use clap::{ArgMatches, Args, Command, Subcommand};
use puppet_protocol::{Session, unevaluated, why_failed};
use puppet_suite::{
    Found, ResourceApi, find, is_module, module_folder, use_only_runtime, use_real_puppet,
    use_runtime,
};
use std::path::Path;
use std::process::ExitCode;
use stickler_conform::Table;
use stickler_face::args::{InitArgs, SubjectArgs};
use stickler_face::conform::{self, Conforming};
use stickler_face::demo::Demo;
use stickler_face::doctor::Item;
use stickler_face::failure::code;
use stickler_face::{Chosen, Comparison, Done, Face, Failure, Schema, line, terminal};
use stickler_judge::AnySession;
use stickler_suite::Registered;
use stickler_suite::config::Config;
use stickler_transcript::Bytes;

/// Puppet on the command line.
pub struct Puppet;

impl Face for Puppet {
    fn dialect(&self) -> &dyn Registered {
        &ResourceApi
    }

    fn extend(&self, command: Command) -> Command {
        match command.get_name() {
            "stickler" => Commands::augment_subcommands(command),
            "check" | "fuzz" | "min" | "snap" => SubjectOptions::augment_args(command),
            "diff" => DiffOptions::augment_args(command),
            _ => command,
        }
    }

    fn run(&self, chosen: &Chosen<'_>, all: &ArgMatches) -> Option<Result<ExitCode, Failure>> {
        Some(code(match line::own(all)? {
            Commands::Apply(args) => apply::run(chosen, &args),
            Commands::Resource(args) => resource::run(chosen, &args),
        }))
    }

    fn shared_options(&self) -> &'static [&'static str] {
        &["--", "--interpreter"]
    }

    fn takes_folders(&self) -> bool {
        true
    }

    fn help(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("{folders}", "a Puppet module"),
            (
                "{comparisons}",
                "apply a manifest as Stickler and Puppet do",
            ),
            (
                "{files}",
                "for Puppet, a manifest (`.pp`) or a catalog (`.json`)",
            ),
            ("{peers}", "Puppet"),
        ]
    }

    fn amend(&self, args: &SubjectArgs, config: &mut Config) -> Result<(), Failure> {
        let own: SubjectOptions = args.given.options()?;
        let subject = &mut config.subject;
        if subject.path.is_none() && subject.command.is_empty() {
            subject.path = Some(".".into());
        }
        if own.real_puppet {
            use_real_puppet(config);
            terminal::note(&installed::real(config));
        }
        match own.runtime {
            Some(release) => use_only_runtime(config, release),
            None => use_runtime(config, usual(config)),
        }
        let Some(folder) = module_folder(config) else {
            if !own.types.is_empty() {
                config.subject.kinds = own.types;
            }
            return Ok(());
        };
        if !is_module(&folder) {
            return Err(Failure::usage(format!(
                "{}: no Puppet module: there is no lib/puppet/type, provider or transport below it",
                folder.display()
            )));
        }
        let found = find(&folder)
            .map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))?;
        let mut described = config.examples.iter().chain(&config.invalid);
        if let Some(example) = described.find(|example| {
            let kind = example.kind.as_ref();
            kind.is_some_and(|kind| !found.types.contains(kind))
        }) {
            return Err(Failure::usage(format!(
                "the example \"{}\" names the type \"{}\", which is not in {}; {}",
                example.name,
                example.kind.as_deref().unwrap_or_default(),
                folder.join("lib/puppet/type").display(),
                there_are(example.kind.as_deref().unwrap_or_default(), &found)
            )));
        }
        let mut known = config.xfail.iter().chain(&config.waive);
        if let Some(kind) = known.find_map(|known| {
            let kind = known.kind.as_ref();
            kind.filter(|kind| !found.types.contains(kind))
        }) {
            return Err(Failure::usage(format!(
                "[[xfail]] and [[waive]]: no type \"{kind}\"; {}",
                there_are(kind, &found)
            )));
        }
        // Other folders of libraries may have more.
        let has_more = config.subject.env.iter().any(|(name, _)| name == "RUBYLIB");
        let transports = config.targets.iter().map(|target| &target.transport);
        let mut transports = transports.filter(|_| !has_more);
        if let Some(unknown) = transports.find(|name| !has_transport(&folder, &found, name)) {
            return Err(Failure::usage(format!(
                "[target]: no transport \"{unknown}\" in {}; {}",
                folder.join("lib/puppet/transport").display(),
                puppet_suite::there_are(unknown, found.transports.iter().map(String::as_str))
            )));
        }
        if !own.types.is_empty() {
            narrow(config, &own.types, &folder, &found);
        }
        let subject = &mut config.subject;
        if subject.kinds.is_empty() {
            subject.kinds.clone_from(&found.types);
        } else if let Some(unknown) = subject
            .kinds
            .iter()
            .find(|kind| !found.types.contains(kind))
        {
            return Err(Failure::usage(format!(
                "{}: no type \"{unknown}\"; {}",
                folder.display(),
                there_are(unknown, &found)
            )));
        }
        if subject.kinds.is_empty() && found.transports.is_empty() {
            return Err(Failure::usage(format!(
                "{}: no type of the Resource API in lib/puppet/type, and no schema in \
                 lib/puppet/transport/schema",
                folder.display()
            )));
        }
        Ok(())
    }

    fn traits(&self, sessions: &[AnySession]) -> Vec<String> {
        let mut types: Vec<&str> = sessions
            .iter()
            .flat_map(|session| &session.typed::<Session>().types)
            .filter_map(|loaded| loaded.definition.name.as_deref())
            .collect();
        types.sort_unstable();
        types.dedup();
        match types.len() {
            0 => Vec::new(),
            n => vec![stickler_report::count(n, "type")],
        }
    }

    fn without_items(&self, config: &Config) -> Option<&'static str> {
        let has_types = !config.subject.kinds.is_empty() || !config.subject.command.is_empty();
        (!has_types).then_some("the module has transports, but no type")
    }

    fn runs_folder(&self, argv: &[Bytes]) -> bool {
        puppet_suite::runs_folder(argv)
    }

    fn unevaluated(&self, sessions: &[AnySession]) -> Vec<(String, String)> {
        unevaluated(sessions)
    }

    fn why_failed(&self, session: &AnySession, exchange: usize) -> Option<String> {
        let session: &Session = session.typed();
        why_failed(session, exchange)
    }

    fn init(&self, chosen: &Chosen<'_>, args: &InitArgs) -> Done {
        init::run(chosen, args)
    }

    fn demo(&self) -> Option<Demo> {
        Some(demo::DEMO)
    }

    fn comparison(&self) -> Option<Comparison> {
        Some(Comparison {
            subjects: "Puppet manifests and catalogs",
            is_chosen: |args| args.file.as_deref().is_some_and(diff::is_for_puppet),
            run: diff::run,
        })
    }

    fn schemas(&self) -> Vec<Schema> {
        vec![Schema {
            name: "conform-situation-puppet",
            about: "A situation of `stickler conform` for Puppet",
            place: 66,
            text: |_| puppet_conform::SCHEMA.to_owned(),
        }]
    }

    fn conformance(&self, asked: &Conforming<'_>) -> Option<Result<Box<dyn Table>, Failure>> {
        Some(conform::table::<puppet_conform::Situations>(asked))
    }

    fn doctor(&self) -> Vec<Item> {
        let folders = &["/opt/puppetlabs/bin"];
        let found = Installed::find(Path::new("ruby"));
        let default = Installed::in_words(found.as_ref());
        let mut puppet = Item::peer("puppet", folders, |_| String::new());
        puppet.detail = format!("{}  {default}", puppet.detail);
        vec![puppet]
    }
}

/// Has a module a transport of this name, or the older class for devices? Its class may also come with another module.
fn has_transport(folder: &Path, found: &Found, name: &str) -> bool {
    let puppet = folder.join("lib/puppet");
    let older = puppet.join("util/network_device").join(name);
    found.transports.iter().any(|known| known == name)
        || older.join("device.rb").exists()
        || puppet.join("transport").join(format!("{name}.rb")).exists()
}

/// The types of a module, for messages.
fn there_are(wanted: &str, found: &Found) -> String {
    puppet_suite::there_are(wanted, found.types.iter().map(String::as_str))
}
