//! What sessions have shown of providers.

use crate::refusal::{Refusal, refusals};
use crate::there::there_are;
use puppet_protocol::{Call, Session, phase, reads_by_name_alone};
use puppet_types::Definition;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use stickler_suite::config::Config;
use stickler_suite::{Knowledge, Learned};
use stickler_transcript::{Name, Purpose};

/// What sessions have shown of providers.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The definitions of types, by name.
    definitions: BTreeMap<String, Arc<Definition>>,
    /// The labels of examples that come into being.
    created: BTreeSet<Name>,
    /// The labels of examples whose `set` fails.
    failed: BTreeSet<Name>,
    /// Why the runtime refused examples, by their labels.
    pub(crate) refusals: BTreeMap<Name, Refusal>,
    /// The types whose `get` only works with names.
    unlistable: BTreeSet<String>,
    /// The schemas of transports, by name.
    schemas: BTreeMap<String, Arc<Definition>>,
}

impl Shown {
    pub(crate) fn definition(&self, kind: &str) -> Option<Arc<Definition>> {
        self.definitions.get(kind).cloned()
    }

    /// The types under test: those that the description names, else those that a program of the
    /// author's own has told.
    pub(crate) fn kinds(&self, config: &Config) -> Vec<String> {
        let named = &config.subject.kinds;
        match named.is_empty() {
            true => self.definitions.keys().cloned().collect(),
            false => named.clone(),
        }
    }

    /// Does an example bring a resource into being?
    pub(crate) fn creates(&self, label: &str) -> bool {
        self.created.contains(label)
    }

    /// Does the `set` of an example fail?
    pub(crate) fn fails(&self, label: &str) -> bool {
        self.failed.contains(label)
    }

    /// Does `get` of a type fail without names, and work with them? Puppet asks such types by name, and so does
    /// the suite then.
    pub(crate) fn is_unlistable(&self, kind: &str) -> bool {
        self.unlistable.contains(kind)
    }

    /// The schema of a transport.
    pub(crate) fn schema(&self, transport: &str) -> Option<Arc<Definition>> {
        self.schemas.get(transport).cloned()
    }

    /// Are there transports?
    pub(crate) fn has_transports(&self) -> bool {
        !self.schemas.is_empty()
    }

    /// Has a known type this feature?
    pub(crate) fn some_feature(&self, name: &str) -> bool {
        self.definitions.values().any(|own| own.has_feature(name))
    }

    /// What a description names that a program of the author's own does not have.
    pub(crate) fn lacks(&self, config: &Config) -> Option<String> {
        let known = &self.definitions;
        if known.is_empty() {
            // Without an answer to `load`, nothing is known.
            return None;
        }
        let there = |wanted: &str| there_are(wanted, known.keys().map(String::as_str));
        for example in config.examples.iter().chain(&config.invalid) {
            match example.kind.as_ref().or(config.subject.kinds.first()) {
                Some(kind) if known.contains_key(kind) => {}
                Some(kind) => {
                    return Some(format!("there is no type \"{kind}\"; {}", there(kind)));
                }
                None => {
                    return Some(format!(
                        "the example \"{}\" names no type; add type = \"…\"; {}",
                        example.name,
                        there("")
                    ));
                }
            }
        }
        let known_failures = config.xfail.iter().chain(&config.waive);
        let kinds = config.subject.kinds.iter();
        let mut kinds = kinds.chain(known_failures.filter_map(|one| one.kind.as_ref()));
        let unknown = kinds.find(|kind| !known.contains_key(*kind))?;
        Some(format!(
            "there is no type \"{unknown}\"; {}",
            there(unknown)
        ))
    }

    /// Has a type this, as far as the types are known?
    pub(crate) fn some_type(&self, config: &Config, has: impl Fn(&Definition) -> bool) -> bool {
        let kinds = self.kinds(config);
        let mut known = kinds.iter().map(|kind| self.definition(kind));
        kinds.is_empty() || known.any(|own| own.is_none_or(|own| has(&own)))
    }
}

impl Shown {
    /// Learns from a call of `get` by name whether the same type works without names, too. If it does not, an
    /// example whose resource can be read by name works as usual all the same.
    fn learn_filter(&mut self, session: &Session, call: &Call, knowledge: &mut Knowledge) {
        if let Some(kind) = reads_by_name_alone(session, call) {
            self.unlistable.insert(kind.to_owned());
            knowledge.valid.extend(call.item.clone());
        }
    }
}

/// Learns from a session.
pub(crate) fn learn(known: &mut Learned, session: &Session) {
    let (knowledge, own) = known.parts::<Shown>();
    for (call, _) in session.calls(phase::INITIALIZE) {
        if let Some(took) = call.took() {
            knowledge.started(took);
        }
        knowledge.understood = true;
        knowledge.usable = true;
    }
    for (known, all) in [
        (&mut own.definitions, &session.types),
        (&mut own.schemas, &session.transports),
    ] {
        for loaded in all {
            if let Some(name) = &loaded.definition.name {
                let entry = known.entry(name.clone());
                entry.or_insert_with(|| Arc::new(loaded.definition.clone()));
            }
        }
    }
    own.refusals.extend(refusals(session));
    for (call, answer) in session.calls(phase::GET) {
        if call.key.is(Purpose::VALIDATE) && answer.failure().is_none() {
            knowledge.valid.extend(call.item.clone());
        }
        own.learn_filter(session, call, knowledge);
    }
    for (call, _) in session.calls(phase::SET) {
        let changed = !call.fails();
        if let (Some(label), true) = (&call.item, call.key.is(Purpose::EVALUATE)) {
            if !changed {
                own.failed.insert(label.clone());
            } else if call.makes() {
                own.created.insert(label.clone());
            }
        }
        knowledge.evaluated(call, changed, |_| false);
    }
}
