//! The dialect of Puppet's Resource API.

use crate::deferred::{Deferred, Evaluation, Form};
use crate::find::{self, transports};
use crate::host::{self, is_program};
use crate::refusal::{Refusal, refusals};
use crate::requests::{
    about, deferred, evaluation, get_all, greet, look_for, open, renew, was_set,
};
use crate::site::{self, Site};
use crate::versions::RUNTIME;
use crate::wire::HostWire;
use crate::{plans, resource, said, stored, versions};
use puppet_protocol::rules::RULES;
use puppet_protocol::{Answer, Session, needs, phase, purpose};
use puppet_types::{Definition, Problem};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use stickler_judge::{Need, Rule};
use stickler_session::Wire;
use stickler_suite::config::Config;
use stickler_suite::{
    Ask, CaseBuilder, Dialect, Effort, Instance, Knowledge, Pace, Planned, Preparing, RunError,
    Said, Setting, Stage, Verbs, Vocabulary,
};
use stickler_transcript::{
    Bytes, Case, Facts as Map, Key, Name, Purpose, Send, Transcript, Value as Sent,
};

/// The vocabulary of the Resource API.
pub static VOCABULARY: Vocabulary = Vocabulary {
    dialect: "resource-api",
    subject: "provider",
    never: "nothing in the sessions could have broken them",
    not_understood: "no answer to `initialize`",
    unsent: "nothing had to be set",
    item: "resource",
    kind: "type",
    kind_key: "type",
    kinds_key: "types",
    identity_key: "title",
    attributes_key: "attributes",
    outcomes: puppet_protocol::WORDS,
    phases: &[
        (phase::INITIALIZE, Pace::Quick),
        (phase::LOAD, Pace::Quick),
        (phase::OPEN, Pace::Quick),
        (phase::CANONICALIZE, Pace::Quick),
        (phase::GET, Pace::Work),
        (phase::INSYNC, Pace::Quick),
        (phase::SET, Pace::Work),
        (phase::CONNECT, Pace::Work),
        (phase::DEVICE, Pace::Work),
        (phase::VERIFY, Pace::Work),
        (phase::FACTS, Pace::Work),
        (phase::CLOSE, Pace::Quick),
    ],
    opening: Some(phase::INITIALIZE),
    validation: phase::GET,
    closing: phase::CLOSE,
    channel: true,
    ignore: &[],
    answer_names: &[],
    typed: true,
    devices: true,
    interpreters: true,
    json: None,
    about: said::about,
    has_rule: |code| RULES.iter().any(|rule| rule.code == code),
};

/// The dialect between Puppet and providers.
#[derive(Debug, Default)]
pub struct ResourceApi {
    /// The definitions that sessions have shown, by the names of types.
    definitions: Mutex<BTreeMap<String, Arc<Definition>>>,
    /// The labels of examples that come into being, and of those whose `set` fails.
    outcomes: Mutex<(BTreeSet<Name>, BTreeSet<Name>)>,
    /// Why the runtime refused examples, by their labels.
    refusals: Mutex<BTreeMap<Name, Refusal>>,
    /// The schemas of transports that they have shown, by name.
    schemas: Mutex<BTreeMap<String, Arc<Definition>>>,
}

impl ResourceApi {
    pub(crate) fn definition(&self, kind: &str) -> Option<Arc<Definition>> {
        locked(&self.definitions).get(kind).cloned()
    }

    /// The types under test: those that the description names, else those that a program of the
    /// author's own has told.
    pub(crate) fn kinds(&self, config: &Config) -> Vec<String> {
        let named = &config.subject.kinds;
        match named.is_empty() {
            true => locked(&self.definitions).keys().cloned().collect(),
            false => named.clone(),
        }
    }

    /// Does an example bring a resource into being?
    pub(crate) fn creates(&self, label: &str) -> bool {
        locked(&self.outcomes).0.contains(label)
    }

    /// Does the `set` of an example fail?
    pub(crate) fn fails(&self, label: &str) -> bool {
        locked(&self.outcomes).1.contains(label)
    }

    /// The schema of a transport.
    pub(crate) fn schema(&self, transport: &str) -> Option<Arc<Definition>> {
        locked(&self.schemas).get(transport).cloned()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Verbs for ResourceApi {
    fn vocabulary(&self) -> &'static Vocabulary {
        &VOCABULARY
    }

    fn facts(&self, _: &Setting<'_>) -> Map {
        Map::new()
    }

    fn greet(&self, case: &mut CaseBuilder<'_>) {
        greet(case, Some(RUNTIME));
    }

    fn validate(
        &self,
        case: &mut CaseBuilder<'_>,
        ask_for: Ask<'_>,
        change: &mut dyn FnMut(&mut Send),
    ) {
        // Reading the state changes nothing, and shows whether the provider works.
        let item = ask_for.item;
        open(case, item);
        let send = get_all(case, ask_for.key, item);
        let mut send = about(send, item);
        change(&mut send);
        case.send(send);
    }

    fn evaluate(
        &self,
        case: &mut CaseBuilder<'_>,
        ask_for: Ask<'_>,
        change: &mut dyn FnMut(&mut Send),
    ) {
        self.attempt(case, ask_for, None, change);
    }

    fn farewell(&self, _: &mut CaseBuilder<'_>) {}
}

impl ResourceApi {
    /// What a description names that a program of the author's own does not have.
    fn lacks(&self, config: &Config) -> Option<String> {
        let known = locked(&self.definitions);
        if known.is_empty() {
            // Without an answer to `load`, nothing is known.
            return None;
        }
        let there = || known.keys().cloned().collect::<Vec<_>>().join(", ");
        for example in config.examples.iter().chain(&config.invalid) {
            match example.kind.as_ref().or(config.subject.kinds.first()) {
                Some(kind) if known.contains_key(kind) => {}
                Some(kind) => {
                    return Some(format!(
                        "there is no type \"{kind}\"; there are: {}",
                        there()
                    ));
                }
                None => {
                    return Some(format!(
                        "the example \"{}\" names no type; add type = \"…\": {}",
                        example.name,
                        there()
                    ));
                }
            }
        }
        let mut kinds = config.subject.kinds.iter();
        let unknown = kinds.find(|kind| !known.contains_key(*kind))?;
        Some(format!(
            "there is no type \"{unknown}\"; there are: {}",
            there()
        ))
    }

    /// Has a type this, as far as the types are known?
    fn some_type(&self, config: &Config, has: impl Fn(&Definition) -> bool) -> bool {
        let kinds = self.kinds(config);
        let mut known = kinds.iter().map(|kind| self.definition(kind));
        kinds.is_empty() || known.any(|own| own.is_none_or(|own| has(&own)))
    }

    /// Has the runtime evaluate an item. With a `form`, `set` gets a change of that form instead.
    pub(crate) fn attempt(
        &self,
        case: &mut CaseBuilder<'_>,
        ask_for: Ask<'_>,
        form: Option<Form>,
        change: &mut dyn FnMut(&mut Send),
    ) {
        let Ask { key, item, .. } = ask_for;
        let Some(evaluation) = self.evaluation(case, &key, item, false) else {
            return;
        };
        let again = evaluation.clone();
        let what = match form {
            None => Deferred::Evaluate(evaluation),
            Some(form) => Deferred::Change { evaluation, form },
        };
        let mut send = set(case, key.clone(), item, what);
        change(&mut send);
        case.send(send);
        look_for(case, key.part(purpose::AFTERWARDS), item, again);
    }

    /// Has the runtime evaluate what the provider must refuse. What is there afterwards counts for
    /// nothing.
    pub(crate) fn refused(&self, case: &mut CaseBuilder<'_>, ask_for: Ask<'_>) {
        let Ask { key, item, .. } = ask_for;
        if let Some(evaluation) = self.evaluation(case, &key, item, true) {
            let send = set(case, key, item, Deferred::Evaluate(evaluation));
            case.send(send);
        }
    }

    /// The evaluation of an item, whose provider is open. `None` if the runtime would not come so far as to
    /// ask the provider. An `invalid` item is left to the runtime.
    pub(crate) fn evaluation(
        &self,
        case: &mut CaseBuilder<'_>,
        key: &Key,
        item: &Instance,
        invalid: bool,
    ) -> Option<Evaluation> {
        let definition = self.definition(&item.kind)?;
        let is_lost = definition.has_feature("remote_resource") && item.target.is_none();
        if is_lost || item.dry && !definition.has_feature("supports_noop") {
            return None;
        }
        match was_set(case, item) {
            true => renew(case, item),
            false => open(case, item),
        }
        // What Stickler made up is only worth a session if the runtime takes it.
        if !invalid && !item.info.original {
            let target = resource::target(&definition, item);
            if resource::is_guessed(case.setting().config, &definition, item, &target)
                || !resource::is_admitted(&definition, item, &target)
            {
                return None;
            }
        }
        Some(evaluation(case, &definition, key, item))
    }
}

/// The message that stands for what comes to a call of `set`.
fn set(case: &CaseBuilder<'_>, key: Key, item: &Instance, what: Deferred) -> Send {
    let open = Site::from(item).open_key();
    about(deferred(case, phase::SET, key, open, what), item)
}

impl Dialect for ResourceApi {
    type Session = Session;

    fn rules(&self) -> Vec<&'static Rule<Session>> {
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

    fn read(&self, transcript: Transcript) -> Session {
        Session::new(transcript)
    }

    fn learn(&self, knowledge: &mut Knowledge, session: &Session) {
        for (call, _) in session.calls(phase::INITIALIZE) {
            if let Some(took) = call.took() {
                knowledge.started(took);
            }
            knowledge.understood = true;
            knowledge.usable = true;
        }
        for (known, all) in [
            (&self.definitions, &session.types),
            (&self.schemas, &session.transports),
        ] {
            let mut known = locked(known);
            for loaded in all {
                if let Some(name) = &loaded.definition.name {
                    let entry = known.entry(name.clone());
                    entry.or_insert_with(|| Arc::new(loaded.definition.clone()));
                }
            }
        }
        locked(&self.refusals).extend(refusals(session));
        for (call, answer) in session.calls(phase::GET) {
            if call.key.is(Purpose::VALIDATE) && answer.failure().is_none() {
                knowledge.valid.extend(call.item.clone());
            }
        }
        for (call, _) in session.calls(phase::SET) {
            let changed = !call.fails();
            if let (Some(label), true) = (&call.item, call.key.is(Purpose::EVALUATE)) {
                let mut outcomes = locked(&self.outcomes);
                if !changed {
                    outcomes.1.insert(label.clone());
                } else if call.makes() {
                    outcomes.0.insert(label.clone());
                }
            }
            knowledge.evaluated(call, changed, |_| false);
        }
    }

    fn refuses(&self, config: &Config) -> Option<String> {
        let mut others = config.subject.interpreters.iter();
        if let Some(name) = others.find(|name| !is_program(config, name)) {
            return Some(format!(
                "`interpreters` names \"{name}\", which is no program\n  \
                 give the path of a Ruby, relative to stickler.toml, or a name in PATH"
            ));
        }
        if !config.subject.command.is_empty()
            && let Some(why) = self.lacks(config)
        {
            return Some(why);
        }
        let mut targets = config.targets.iter().filter(|target| !target.invalid);
        let misconnected = targets.find_map(|target| {
            let schema = self.schema(&target.transport)?;
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
            let definition = self.definition(&item.kind)?;
            if definition.has_feature("remote_resource") && item.target.is_none() {
                return Some(format!(
                    "the example \"{}\" needs a target: resources of the type `{}` live on \
                     devices\n  describe one with [target.NAME], and add target = \"NAME\" to the example",
                    example.name, item.kind
                ));
            }
            // Where the definition is at fault, its rules say so.
            let is_sound = definition.problems.iter().all(Problem::is_undecided);
            let refusals = locked(&self.refusals);
            let refusal = refusals.get(&item.info.label).filter(|_| is_sound)?;
            let why = resource::refused(&definition, &item)
                .or_else(|| refusal.in_words(&definition, &item))?;
            Some(format!(
                "the example \"{}\" is refused by Puppet itself: {why}\n  \
                 correct it, or call it [[invalid]] if that is meant",
                example.name
            ))
        })
    }

    fn secrets(&self, config: &Config) -> Vec<Sent> {
        site::secrets(
            config,
            |transport| self.schema(transport),
            |kind| self.definition(kind),
        )
    }

    fn unmask(&self, config: &Config, case: &mut Case) {
        stored::unmask(config, case);
        stored::relocate(case);
    }

    fn plans(&self, setting: &Setting<'_>, stage: Stage, effort: Effort) -> Vec<Planned> {
        plans::plans(self, setting, stage, effort)
    }

    fn snapshot_name(&self, session: &Session) -> String {
        let mut names = session.types.iter();
        let name = names.find_map(|loaded| loaded.definition.name.clone());
        name.unwrap_or_else(|| session.case().subject.name.clone())
    }

    fn said(&self, session: &Session, exchange: usize) -> Said {
        let call = session.exchanges.get(exchange);
        call.map_or_else(Said::default, |call| said::said(session, call))
    }

    fn specified(&self, case: &Case) -> Option<Case> {
        versions::specified(case)
    }

    fn failures(&self, session: &Session) -> usize {
        let answers = session.exchanges.iter().map(|call| &call.answer);
        let failed = |answer: &&Option<Answer>| matches!(answer, Some(Answer::Failed(_)));
        answers.filter(failed).count()
    }

    fn deployed(&self, case: &Case) -> (&'static str, Vec<(&'static str, Case)>) {
        versions::deployed(case)
    }

    fn has(&self, need: &Need, config: &Config, _: &Knowledge) -> bool {
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
            needs::SEVERAL_NAMEVARS => self.some_type(config, |own| own.namevars().len() > 1),
            needs::CANONICALIZE | needs::CUSTOM_INSYNC => {
                self.some_type(config, |own| own.has_feature(need.name))
            }
            needs::EXAMPLE => !config.examples.is_empty(),
            needs::DECLARED => !config.examples.is_empty() || !config.invalid.is_empty(),
            _ => true,
        }
    }
}
