//! Promise modules on the command line.

use super::Face;
use crate::args::{InitArgs, SubjectArgs};
use crate::chosen::Chosen;
use crate::failure::{Done, Failure};
use crate::{harvest, init, subject};
use cfengine_protocol::wire::Protocol;
use cfengine_protocol::{Exchange, Session};
use cfengine_suite::PromiseModules;
use std::path::PathBuf;
use stickler_judge::AnySession;
use stickler_suite::Checked;
use stickler_suite::config::Config;
use stickler_transcript::{Event, Fate, Mode};

impl Face for PromiseModules {
    fn options(&self) -> &'static [&'static str] {
        &[
            "--",
            "--as",
            "--attribute",
            "--interpreter",
            "--policy",
            "--promise-type",
            "--promiser",
        ]
    }

    fn compared(&self) -> (&'static str, &'static [&'static str]) {
        let options = &[
            "--bundlesequence",
            "--cf-agent",
            "--define",
            "--generate",
            "--jobs",
            "--mode",
            "--negate",
            "--out",
            "--seed",
        ];
        ("CFEngine policies", options)
    }

    fn amend(&self, args: &SubjectArgs, config: &mut Config) -> Result<(), Failure> {
        subject::amend(args, config)
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

    #[cfg(feature = "campaign")]
    fn harvest(
        &self,
        bench: &stickler_suite::Bench<'_>,
    ) -> Result<Option<stickler_suite::Harvest>, Failure> {
        crate::fuzz::harvest(bench).map(Some)
    }

    fn init(&self, args: &InitArgs, chosen: &Chosen) -> Done {
        init::of_module(self, args, chosen)
    }
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
