//! What is known of the resources of a session, as its requests tell: what they are, and what became of them.

use crate::message::plain;
use crate::phase;
use crate::session::{Call, Session};
use std::collections::BTreeMap;
use stickler_json::Json;

/// A resource, as requests have made it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Resource {
    /// Its kind.
    pub(crate) kind: String,
    /// Its name.
    pub(crate) name: String,
    /// The fields that were set, by their names, as [`plain`] texts; later values replace earlier ones.
    pub(crate) fields: BTreeMap<String, String>,
    /// Were its fields never set?
    pub(crate) is_default: bool,
}

impl Resource {
    /// Does it ask for the same as another one?
    pub(crate) fn is_alike(&self, other: &Resource) -> bool {
        self.kind == other.kind && self.name == other.name && self.fields == other.fields
    }

    /// Do both have a field with the same text, number, list or map?
    pub(crate) fn shares_value(&self, other: &Resource) -> bool {
        // These say nothing about which resource it is.
        let is_bare = |value: &str| matches!(value, "null" | "true" | "false" | "[]" | "{}");
        let mut own = self.fields.iter();
        own.any(|(name, value)| !is_bare(value) && other.fields.get(name) == Some(value))
    }
}

/// The resources of a session at one moment, by process and label.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resources(BTreeMap<(usize, String), Resource>);

impl Resources {
    /// The resource that a parameter of a call names.
    pub(crate) fn of(&self, call: &Call, param: &str) -> Option<&Resource> {
        let label = call.param(param)?;
        self.0.get(&(call.process, label.to_owned()))
    }

    /// Takes in what a call does.
    fn take(&mut self, call: &Call) {
        let at = (call.process, call.resource().to_owned());
        if !call.returns() {
            return;
        }
        match call.phase {
            phase::NEW => {
                let text = |key: &str| call.param(key).unwrap_or_default().to_owned();
                let made = Resource {
                    kind: text("kind"),
                    name: text("name"),
                    fields: BTreeMap::new(),
                    is_default: true,
                };
                self.0.insert(at, made);
            }
            phase::SET => {
                let fields = call.params.as_ref().and_then(|params| params.get("fields"));
                if let (Some(own), Some(Json::Object(fields))) = (self.0.get_mut(&at), fields) {
                    own.is_default &= fields.is_empty();
                    for member in fields {
                        let name = String::from_utf8_lossy(member.key.as_bytes()).into_owned();
                        own.fields.insert(name, plain(&member.value));
                    }
                }
            }
            phase::COPY => {
                if let Some(from) = self.of(call, "from").cloned() {
                    self.0.insert(at, from);
                }
            }
            // What it asks for is its author's secret: it is alike to itself alone.
            phase::REVERSED => {
                let from = self.of(call, "from").cloned().unwrap_or_default();
                let secret = format!("what reverses it is {}", call.resource());
                let made = Resource {
                    fields: BTreeMap::from([(String::new(), secret)]),
                    is_default: false,
                    ..from
                };
                self.0.insert(at, made);
            }
            // Nobody tells the value that it has received: the same is a new one each time.
            phase::RECEIVE => {
                let field = call.param("field").unwrap_or_default().to_owned();
                let answer = call.answer.as_ref();
                let changed = answer.and_then(|answer| answer.member("changed"));
                if let (Some(Json::Bool(true)), Some(own)) = (changed, self.0.get_mut(&at)) {
                    own.fields
                        .insert(field, format!("received in {}", call.number));
                    own.is_default = false;
                }
            }
            phase::DROP => {
                self.0.remove(&at);
            }
            _ => {}
        }
    }
}

/// Visits the calls of a session in order, each with the resources before it.
pub(crate) fn walk(session: &Session, mut visit: impl FnMut(&Resources, &Call)) {
    let mut resources = Resources::default();
    for call in &session.exchanges {
        visit(&resources, call);
        resources.take(call);
    }
}
