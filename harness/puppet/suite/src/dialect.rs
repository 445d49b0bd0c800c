//! The dialect of Puppet's Resource API.

use crate::find::{self, transports};
use crate::host::{self, is_program};
use crate::keys::INTERPRETERS;
use crate::shown::{self, Shown};
use crate::vocabulary::VOCABULARY;
use crate::wire::HostWire;
use crate::{named, plans, resource, said, site, stored, versions};
use puppet_protocol::rules::RULES;
use puppet_protocol::{Answer, Loaded, Session, needs};
use puppet_types::{Attribute, Behaviour, Definition, Problem};
use std::path::Path;
use stickler_judge::{AnySession, Need, Rule};
use stickler_session::Wire;
use stickler_suite::config::Config;
use stickler_suite::{
    Dialect, Effort, Instance, Learned, Planned, PlanningStage, Preparing, RunError, Said, Setting,
    Vocabulary,
};
use stickler_transcript::{Bytes, Case, Relation, Transcript, Value as Sent};

/// The dialect between Puppet and providers.
#[derive(Debug, Default)]
pub struct ResourceApi;

impl Dialect for ResourceApi {
    fn vocabulary(&self) -> &'static Vocabulary {
        &VOCABULARY
    }

    fn rules(&self) -> Vec<&'static Rule> {
        RULES.iter().collect()
    }

    fn claims(&self, folder: &Path) -> Option<String> {
        find::claims(folder)
    }

    fn prepare(&self, config: &Config, _: &Preparing<'_>) -> Result<Vec<Bytes>, RunError> {
        host::command_line(config)
    }

    fn wire(&self) -> &dyn Wire {
        &HostWire
    }

    fn read(&self, transcript: Transcript) -> AnySession {
        AnySession::new(Session::new(transcript))
    }

    fn unknown(&self) -> Learned {
        Learned::new(Shown::default())
    }

    fn learn(&self, known: &mut Learned, session: &AnySession) {
        shown::learn(known, session.typed());
    }

    fn refuses(&self, config: &Config, known: &Learned) -> Option<String> {
        let shown: &Shown = known.own();
        let mut others = config.subject.own.texts(INTERPRETERS).iter();
        if let Some(name) = others.find(|name| !is_program(config, name)) {
            return Some(format!(
                "`interpreters` names \"{name}\", which is no program\n  \
                 give the path of a Ruby, relative to stickler.toml, or a name in PATH"
            ));
        }
        if !config.subject.command.is_empty()
            && let Some(why) = shown.lacks(config)
        {
            return Some(why);
        }
        if let Some(why) = named::misnamed(shown, config) {
            return Some(why);
        }
        let mut targets = config.targets.iter().filter(|target| !target.invalid);
        let misconnected = targets.find_map(|target| {
            let schema = shown.schema(&target.transport)?;
            // Where the schema is at fault, its rules say so.
            let is_sound = schema.attributes.iter().all(|one| one.data_type.is_some());
            let info = site::hash(site::info(target));
            let why = is_sound.then(|| schema.refuses_written_connection(&info))??;
            Some(format!(
                "[target.{}] is refused by Puppet itself: {}\n  \
                 correct its `connection_info`, or add `invalid = true` if that is meant",
                target.name,
                why.message.trim_end()
            ))
        });
        if misconnected.is_some() {
            return misconnected;
        }
        let usual = config.subject.kinds.first().map_or("", String::as_str);
        config.examples.iter().enumerate().find_map(|(index, example)| {
            // An author may know that it is refused.
            if example.expect.first().is_some_and(|first| first == "error") {
                return None;
            }
            let label = format!("e{}", index + 1);
            let item = Instance::of(example, &label, usual, &VOCABULARY, 0);
            let definition = shown.definition(&item.kind)?;
            if definition.has_feature("remote_resource") && item.target.is_none() {
                return Some(format!(
                    "the example \"{}\" needs a target: resources of the type `{}` live on \
                     devices\n  describe one with [target.NAME], and add target = \"NAME\" to the example",
                    example.name, item.kind
                ));
            }
            // Where the definition is at fault, its rules say so.
            let mut problems = definition.problems.iter();
            let is_sound = problems.all(|one| one.is_undecided() || decides_nothing(&definition, one));
            let refusal = shown.refusals.get(&item.info.label).filter(|_| is_sound)?;
            let why = resource::refused(&definition, &item)
                .or_else(|| refusal.in_words(&definition, &item))?;
            Some(format!(
                "the example \"{}\" is refused by Puppet itself: {why}\n  \
                 correct it, or call it [[invalid]] if that is meant",
                example.name
            ))
        })
    }

    fn secrets(&self, config: &Config, session: &AnySession) -> Vec<Sent> {
        let session: &Session = session.typed();
        let named = |all: &'_ [Loaded], name: &str| {
            let mut all = all.iter().map(|loaded| &loaded.definition);
            all.find(|own| own.name.as_deref() == Some(name)).cloned()
        };
        site::secrets(
            config,
            |transport| named(&session.transports, transport),
            |kind| named(&session.types, kind),
        )
    }

    fn unmask(&self, config: &Config, case: &mut Case) {
        stored::unmask(config, case);
        stored::relocate(case);
    }

    fn plans(
        &self,
        setting: &Setting<'_>,
        known: &Learned,
        stage: PlanningStage,
        effort: Effort,
    ) -> Vec<Planned> {
        plans::plans(known.own(), setting, stage, effort)
    }

    fn own_relations(&self) -> Vec<Relation> {
        plans::relations()
    }

    fn snapshot_name(&self, session: &AnySession) -> String {
        let session: &Session = session.typed();
        let mut names = session.types.iter();
        let name = names.find_map(|loaded| loaded.definition.name.clone());
        name.unwrap_or_else(|| session.case().subject.name.clone())
    }

    fn said(&self, session: &AnySession, exchange: usize) -> Said {
        let session: &Session = session.typed();
        let call = session.exchanges.get(exchange);
        call.map_or_else(Said::default, |call| said::said(session, call))
    }

    fn specified(&self, case: &Case) -> Option<Case> {
        versions::specified(case)
    }

    fn failures(&self, session: &AnySession) -> usize {
        let session: &Session = session.typed();
        let answers = session.exchanges.iter().map(|call| &call.answer);
        let failed = |answer: &&Option<Answer>| matches!(answer, Some(Answer::Failed(_)));
        answers.filter(failed).count()
    }

    fn judges_declarations(&self, code: &str) -> bool {
        code == "RA520"
    }

    fn deployed(&self, case: &Case) -> (&'static str, Vec<(&'static str, Case)>) {
        versions::deployed(case)
    }

    fn lacking(&self, sessions: &[AnySession]) -> Option<String> {
        puppet_protocol::lacking(sessions)
    }

    fn has(&self, need: &Need, config: &Config, known: &Learned) -> bool {
        let shown: &Shown = known.own();
        let Config {
            subject, targets, ..
        } = config;
        match *need {
            needs::TYPE => !subject.kinds.is_empty() || !subject.command.is_empty(),
            // Folders are read only for those rules that ask for it.
            needs::TRANSPORT => !transports(config).is_empty(),
            needs::HOST => subject.command.is_empty(),
            needs::TARGET => targets.iter().any(|target| !target.invalid),
            needs::INVALID_TARGET => targets.iter().any(|target| target.invalid),
            needs::SERVICE => !config.services.is_empty(),
            needs::SEVERAL_NAMEVARS => shown.some_type(config, |own| own.namevars().len() > 1),
            needs::CANONICALIZE | needs::CUSTOM_INSYNC | needs::FILTER | needs::GENERATING => {
                shown.some_type(config, |own| own.has_feature(need.name))
            }
            needs::INIT_ONLY => shown.some_type(config, |own| {
                let mut attributes = own.attributes.iter();
                attributes.any(|one| one.behaviour == Behaviour::InitOnly)
            }),
            needs::SENSITIVE => shown.some_type(config, |own| {
                let may_be = |one: &Attribute| {
                    let data_type = one.data_type.as_ref();
                    data_type.is_none_or(puppet_types::Type::may_be_sensitive)
                };
                own.attributes.iter().any(may_be)
            }),
            needs::OTHERS => {
                let has_releases =
                    !versions::is_real(config) && !versions::others(config).is_empty();
                has_releases || !subject.own.texts(INTERPRETERS).is_empty()
            }
            needs::EXAMPLE => !config.examples.is_empty(),
            needs::DECLARED => !config.examples.is_empty() || !config.invalid.is_empty(),
            _ => true,
        }
    }
}

/// Does a problem of a definition leave it to the definition which resources there are? What is not described is a
/// resource all the same.
fn decides_nothing(definition: &Definition, problem: &Problem) -> bool {
    const SUCH: [&str; 6] = ["RA103", "RA104", "RA110", "RA113", "RA115", "RA116"];
    SUCH.contains(&problem.rule(definition.subject))
}
