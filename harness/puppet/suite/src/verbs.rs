//! How the suite talks to a provider.

use crate::altered::others_of_all;
use crate::deferred::{Deferred, Evaluation, Form};
use crate::keys::RUNTIMES;
use crate::requests::{
    about, deferred, evaluation, get_rows, greet, look_for, open, renew, was_set,
};
use crate::resource;
use crate::shown::Shown;
use crate::site::Site;
use crate::twins;
use crate::versions::usual;
use puppet_protocol::{phase, purpose, releases};
use puppet_types::Behaviour;
use stickler_suite::{
    Ask, Capabilities, CaseBuilder, Instance, Knowledge, Setting, Tells, Values, Verbs,
};
use stickler_transcript::{Facts as Map, Key, Phase, Send, Trap, TrapKind, Value, Variation};

impl Verbs for Shown {
    fn facts(&self, setting: &Setting<'_>) -> Map {
        let named = setting.config.subject.own.texts(RUNTIMES);
        let mut facts = Map::new();
        if !named.is_empty() {
            let named: Vec<&str> = named.iter().map(String::as_str).collect();
            facts.insert(releases::FACT.into(), named.into());
        }
        facts
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            tells: Tells::State,
            values: Values::Typed,
            many_items: true,
        }
    }

    fn others(&self, setting: &Setting<'_>, item: &Instance) -> Vec<(String, Value)> {
        others_of_all(self, setting, item)
    }

    fn greet(&self, case: &mut CaseBuilder<'_>) {
        let usual = usual(case.setting().config);
        greet(case, Some(usual));
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
        let send = get_rows(self, case, ask_for.key, item);
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
        match ask_for.item.info.invalid {
            true => self.refused(case, ask_for, change),
            false => self.attempt(case, ask_for, None, change),
        }
    }

    fn twins(&self, _: &Setting<'_>, item: &Instance) -> Vec<Instance> {
        match self.creates(&item.info.label) {
            true => twins::with_other_values(self, item),
            false => Vec::new(),
        }
    }

    fn admits(&self, setting: &Setting<'_>, item: &Instance) -> bool {
        self.definition(&item.kind).is_some_and(|definition| {
            let target = resource::target(&definition, item);
            !resource::is_guessed(setting.config, &definition, item, &target)
                && resource::is_admitted(&definition, item, &target)
        })
    }

    fn is_fixed(&self, item: &Instance, field: &str) -> bool {
        let definition = self.definition(&item.kind);
        let attribute = definition.as_ref().and_then(|own| own.attribute(field));
        attribute.is_some_and(|one| one.behaviour == Behaviour::InitOnly)
    }

    /// Puppet compares states itself: a provider without `supports_noop` is only read.
    fn can_look(&self, _: &Knowledge, item: &Instance) -> bool {
        self.definition(&item.kind).is_some()
    }

    fn may_send(&self, phase: Phase) -> bool {
        match phase {
            phase::CANONICALIZE => self.some_feature("canonicalize"),
            phase::INSYNC => self.some_feature("custom_insync"),
            phase::CONNECT | phase::DEVICE => self.has_transports(),
            // Only plans of a check ask for these.
            phase::GENERATE | phase::VERIFY | phase::FACTS => false,
            _ => true,
        }
    }

    fn farewell(&self, _: &mut CaseBuilder<'_>) {}
}

impl Shown {
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
        // Rules tell evaluations apart by their keys.
        debug_assert!(!case.has_sent(&key), "two evaluations have the key {key}");
        let again = evaluation.clone();
        let what = match form {
            None => Deferred::Evaluate(evaluation),
            Some(form) => Deferred::Change { evaluation, form },
        };
        let mut send = set(case, key.clone(), item, what);
        change(&mut send);
        case.send(send);
        if !shows_itself(case, item) {
            look_for(case, key.part(purpose::AFTERWARDS), item, again);
        }
    }

    /// Has the runtime evaluate what the provider must refuse. What is there afterwards counts for
    /// nothing.
    fn refused(
        &self,
        case: &mut CaseBuilder<'_>,
        ask_for: Ask<'_>,
        change: &mut dyn FnMut(&mut Send),
    ) {
        let Ask { key, item, .. } = ask_for;
        if let Some(evaluation) = self.evaluation(case, &key, item, true) {
            let mut send = set(case, key, item, Deferred::Evaluate(evaluation));
            change(&mut send);
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
        if is_lost {
            return None;
        }
        match was_set(case, item) {
            true => renew(case, item),
            false => open(case, item),
        }
        // What Stickler made up is only worth a session if the runtime takes it.
        if !invalid && !item.info.original && !self.admits(case.setting(), item) {
            return None;
        }
        Some(evaluation(case, &definition, key, item))
    }
}

/// Are the baits of an item such that `set` itself shows whether they are taken?
fn shows_itself(case: &CaseBuilder<'_>, item: &Instance) -> bool {
    let is_computed = |trap: &Trap| {
        let field = trap.field.as_deref();
        let sent = field.and_then(|field| item.leaf(field));
        trap.kind == TrapKind::Computed && sent == Some(&trap.bait[..])
    };
    item.info.variation == Some(Variation::Canary) && !case.traps().iter().any(is_computed)
}

/// The message that stands for what comes to a call of `set`.
fn set(case: &CaseBuilder<'_>, key: Key, item: &Instance, what: Deferred) -> Send {
    let open = Site::from(item).open_key();
    about(deferred(case, phase::SET, key, open, what), item)
}
