//! What sessions have shown of a package.

use crate::values::{self, other_value};
use mgmt_protocol::{Described, Field, Session, phase, purpose};
use std::collections::BTreeMap;
use std::sync::Arc;
use stickler_json::Json;
use stickler_suite::Learned;
use stickler_suite::config::Config;
use stickler_transcript::{Bytes, Fate, Purpose, Value};

/// The label of a resource of each kind that is as `Default` gives it when it is first read.
pub(crate) const FRESH: &str = "one";

/// What sessions have shown of a package.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The kinds that it registers.
    pub(crate) registered: Vec<String>,
    /// Does `Watch` end when a channel of `Init` is closed, and not with a context?
    pub(crate) ends_with_init: bool,
    /// What is known of them.
    pub(crate) kinds: BTreeMap<String, Arc<Described>>,
    /// The fields that `Default` gives each kind, by Go's names.
    pub(crate) defaults: BTreeMap<String, Arc<BTreeMap<String, Value>>>,
    /// What came of the commands of `drift`.
    pub(crate) spoilt: Vec<Spoilt>,
    /// Why examples cannot be made, by their names: what the host says.
    pub(crate) unmade: BTreeMap<String, String>,
}

/// What came of a command of `drift`.
#[derive(Clone, Debug)]
pub(crate) struct Spoilt {
    /// The name of the example.
    pub(crate) example: String,
    /// Its words, filled in.
    pub(crate) words: Vec<Bytes>,
    /// Why it failed.
    pub(crate) failed: Option<String>,
    /// Was the example right before it, as the resource says itself?
    pub(crate) held: bool,
}

impl Shown {
    /// The kinds under test: those that the description names, else all.
    pub(crate) fn kinds(&self, config: &Config) -> Vec<String> {
        let named = &config.subject.kinds;
        match named.is_empty() {
            true => self.registered.clone(),
            false => named.clone(),
        }
    }

    /// A kind, as far as it was described.
    pub(crate) fn kind(&self, kind: &str) -> Option<&Described> {
        self.kinds.get(kind).map(Arc::as_ref)
    }

    /// What `Default` sets a field to, if that is known, and a type of which there are other values.
    pub(crate) fn default_of(&self, kind: &Described, field: &Field) -> Option<Value> {
        let value = self.defaults.get(&kind.kind)?.get(&field.name)?;
        other_value(field, Some(value)).and(Some(value.clone()))
    }

    /// The fields with such names that `Default` gives a value which is not Go's zero, by their kinds.
    pub(crate) fn set_by_default(
        &self,
        is_such: fn(&[u8]) -> bool,
    ) -> BTreeMap<String, Vec<String>> {
        let is_zero = |value: &Value| match value {
            Value::Text(text) => text.is_empty(),
            Value::Number(number) => number == "0",
            Value::Bool(truth) => !truth,
            Value::List(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            Value::Null => true,
        };
        let kinds = self.defaults.iter().map(|(kind, fields)| {
            let own = fields
                .iter()
                .filter(|(name, value)| is_such(name.as_bytes()) && !is_zero(value));
            (kind.clone(), own.map(|(name, _)| name.clone()).collect())
        });
        kinds
            .filter(|(_, names): &(_, Vec<_>)| !names.is_empty())
            .collect()
    }

    /// Has a kind this trait, as far as it was described?
    pub(crate) fn has_trait(&self, kind: &str, name: &str) -> bool {
        self.kind(kind).is_some_and(|kind| kind.has_trait(name))
    }

    /// Has a kind under test this, as far as the kinds are known?
    pub(crate) fn some_kind(&self, config: &Config, has: impl Fn(&Described) -> bool) -> bool {
        let kinds = self.kinds(config);
        kinds.iter().any(|kind| self.kind(kind).is_none_or(&has))
    }
}

/// Learns from a session.
pub(crate) fn learn(known: &mut Learned, session: &Session) {
    let (common, own) = known.parts::<Shown>();
    common.dry = true;
    for call in session
        .calls(phase::INITIALIZE)
        .filter(|call| call.returns())
    {
        if let Some(took) = call.took() {
            common.started(took);
        }
        let era = call.answer.as_ref().and_then(|answer| answer.text("era"));
        own.ends_with_init = era.as_deref() == Some("done");
        common.understood = true;
        common.usable = true;
    }
    let registered = session.registered();
    if !registered.is_empty() {
        own.registered = registered;
    }
    for (kind, described) in &session.kinds {
        let entry = own.kinds.entry(kind.clone());
        entry.or_insert_with(|| Arc::new(described.clone()));
    }
    for call in session
        .calls(phase::GET)
        .filter(|call| call.key.turn_of(purpose::GET) == Some(1) && call.resource() == FRESH)
    {
        let fields = call
            .answer
            .as_ref()
            .and_then(|answer| answer.member("fields"));
        let fields = fields.and_then(Json::as_object).unwrap_or_default();
        let told = fields.iter().filter_map(|field| {
            Some((field.key.as_str()?.to_owned(), values::told(&field.value)?))
        });
        if let Some(kind) = session.kind_of(call) {
            let entry = own.defaults.entry(kind.kind.clone());
            entry.or_insert_with(|| Arc::new(told.collect()));
        }
    }
    own.spoilt
        .extend(mgmt_protocol::drifts(session).map(|one| Spoilt {
            example: one.example.to_owned(),
            words: one.words.to_vec(),
            failed: one.failed.map(str::to_owned),
            held: one.held,
        }));
    for (call, why) in mgmt_protocol::unmade(session) {
        let item = session.item(call).filter(|item| item.original);
        if let Some(item) = item {
            own.unmade
                .entry(item.example.clone())
                .or_insert(why.to_owned());
        }
    }
    for call in session.calls(phase::VALIDATE) {
        if call.key.is(Purpose::VALIDATE) && call.succeeds() {
            common.valid.extend(call.item.clone());
        }
    }
    for call in session
        .calls(phase::CHECKAPPLY)
        .filter(|call| call.succeeds())
    {
        let changed = mgmt_protocol::fate(call) == Some(Fate::Changed);
        common.evaluated(call, changed, |_| false);
    }
}
