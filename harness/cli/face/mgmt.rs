//! mgmt resources on the command line.

use super::Face;
use crate::args::{InitArgs, SubjectArgs};
use crate::chosen::Chosen;
use crate::failure::{Done, Failure};
use crate::init;
use mgmt_protocol::Session;
use mgmt_suite::Mgmt;
use std::collections::BTreeSet;
use stickler_judge::AnySession;
use stickler_suite::config::{Config, Example};
use stickler_transcript::Bytes;

impl Face for Mgmt {
    fn takes_folders(&self) -> bool {
        true
    }

    fn options(&self) -> &'static [&'static str] {
        &["--kind", "--race", "--with-engine"]
    }

    fn compared(&self) -> (&'static str, &'static [&'static str]) {
        ("mgmt graphs", &[])
    }

    fn amend(&self, args: &SubjectArgs, config: &mut Config) -> Result<(), Failure> {
        let subject = &mut config.subject;
        if subject.path.is_none() {
            subject.path = Some(".".into());
        }
        if !args.kinds.is_empty() {
            subject.kinds.clone_from(&args.kinds);
            let is_named = |example: &Example| {
                let kind = example.kind.as_ref();
                kind.is_none_or(|kind| args.kinds.contains(kind))
            };
            config.examples.retain(is_named);
            config.invalid.retain(is_named);
        }
        if args.race {
            mgmt_suite::detect_races(config);
        }
        if args.with_engine {
            mgmt_suite::with_engine(config);
        }
        Ok(())
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

    fn example_options(&self) -> &'static str {
        "an [[example]] in stickler.toml"
    }

    fn example_hint(&self, _: &Config, _: &[AnySession]) -> Option<String> {
        Some("`stickler init` writes a suggestion for each kind".to_owned())
    }

    fn init(&self, args: &InitArgs, chosen: &Chosen) -> Done {
        init::of_resources(args, chosen)
    }
}
