//! A resource that the runtime manages: what Puppet calls a RAL resource.

use crate::display::shown;
use crate::fault::Fault;
use crate::kind::Kind;
use crate::log::Severity;
use crate::row::member;
use puppet_manifest::Reference;
use puppet_types::definition::TRIGGER;
use puppet_types::{Behaviour, Definition, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How resources are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Require,
    Subscribe,
    Before,
    Notify,
}

impl Relation {
    /// All, in Puppet's order.
    pub(crate) const ALL: [Self; 4] = [Self::Require, Self::Subscribe, Self::Before, Self::Notify];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Require => "require",
            Self::Subscribe => "subscribe",
            Self::Before => "before",
            Self::Notify => "notify",
        }
    }

    /// Does it name what comes before?
    pub(crate) fn is_incoming(self) -> bool {
        matches!(self, Self::Require | Self::Subscribe)
    }
}

/// A resource, as the runtime knows it.
#[derive(Clone, Debug)]
pub struct Resource {
    pub(crate) kind: Rc<Kind>,
    /// Its title; a hash of namevars if there are several and the provider gave no title.
    pub(crate) title: Value,
    /// What contains it.
    pub(crate) path: Vec<String>,
    /// Attributes in the order in which Puppet sets them.
    pub(crate) parameters: Vec<(String, Value)>,
    /// Attributes that are audited.
    pub(crate) audited: Vec<String>,
    pub(crate) noop: Option<bool>,
    pub(crate) loglevel: Severity,
    pub(crate) relations: Vec<(Relation, Vec<Reference>)>,
    pub(crate) aliases: Vec<String>,
    pub(crate) tags: Vec<String>,
    /// Attributes whose values nobody may see.
    pub(crate) sensitive: Vec<String>,
    /// Attributes that are mandatory and missing.
    pub(crate) missing: Vec<String>,
    /// Is it neither declared nor found?
    pub(crate) is_absent: bool,
    /// Did the provider tell of it?
    pub(crate) is_found: bool,
    /// The state that the provider told of, or what is assumed after a change.
    pub(crate) current: Option<Value>,
    /// The target in canonical form.
    pub(crate) target: Option<Value>,
    /// What the provider says about a change, by property.
    pub(crate) wordings: BTreeMap<String, String>,
}

impl Resource {
    /// Its name in messages: `Package_key[a]`.
    pub(crate) fn reference(&self) -> String {
        let kind = self.kind.name.clone();
        let title = self.title.to_text();
        Reference { kind, title }.to_string()
    }

    /// Its place in logs: `/Stage[main]/Main/Package_key[a]`.
    pub(crate) fn log_path(&self) -> String {
        let mut path = String::new();
        for container in &self.path {
            path.push('/');
            path.push_str(container);
        }
        format!("{path}/{}", self.reference())
    }

    pub(crate) fn log_path_of(&self, property: &str) -> String {
        format!("{}/{property}", self.log_path())
    }

    /// An attribute as the provider gets it.
    pub(crate) fn parameter(&self, name: &str) -> Option<&Value> {
        let mut named = self.parameters.iter().filter(|(own, _)| own == name);
        named.next().map(|(_, value)| value)
    }

    /// The target value of a property as Puppet's core sees it: it passes booleans and the values
    /// of `ensure` as symbols.
    pub(crate) fn should(&self, name: &str) -> Option<Value> {
        Some(match self.parameter(name)? {
            Value::Undef => return None,
            Value::String(text) if name == "ensure" => Value::symbol(text.as_str()),
            Value::Bool(bool) => Value::symbol(if *bool { "true" } else { "false" }),
            other => other.clone(),
        })
    }

    /// Any attribute as Puppet's core sees it.
    pub(crate) fn core_value(&self, name: &str) -> Option<Value> {
        let attribute = self.kind.definition.attribute(name);
        let is_property = attribute.is_none_or(|one| is_property(one.behaviour));
        match is_property {
            true => self.should(name),
            false => self.parameter(name).cloned(),
        }
    }

    /// The properties that it has, in Puppet's order: `ensure` first.
    pub(crate) fn properties(&self) -> Vec<String> {
        let names = properties_of(&self.kind);
        let has = |name: &String| self.parameter(name).is_some();
        names.into_iter().filter(has).collect()
    }

    /// The definition of its type.
    pub fn definition(&self) -> &Definition {
        &self.kind.definition
    }

    /// Did its provider list it, when its state was read last?
    pub fn is_found(&self) -> bool {
        self.is_found
    }

    /// What the provider calls it: its namevar, or a hash of its namevars.
    pub fn name(&self) -> Value {
        let value = |name: &str| self.core_value(name).unwrap_or(Value::Undef);
        match self.kind.namevars.as_slice() {
            [one] => value(one),
            all => Value::hash(all.iter().map(|name| (name.as_str(), value(name)))),
        }
    }

    /// All namevars, sorted by their names.
    pub(crate) fn unique(&self) -> Vec<Value> {
        let mut names = self.kind.namevars.clone();
        names.sort();
        let value = |name: &String| self.core_value(name).unwrap_or(Value::Undef);
        names.iter().map(value).collect()
    }

    /// Does a row tell of this resource?
    pub(crate) fn is_row(&self, row: &Value) -> Result<bool, Fault> {
        for name in &self.kind.namevars {
            let Some(own) = self.parameter(name) else {
                return Ok(false);
            };
            let is_lost = self.kind.named_by_text.contains(name);
            if is_lost || !alike(&member(row, name)?, own) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A value in a message about a property.
    pub(crate) fn shown(&self, property: &str, value: &Value) -> String {
        match self.sensitive.iter().any(|name| name == property) {
            true => "[redacted]".to_owned(),
            false => shown(value),
        }
    }
}

/// Is it compared with the state?
pub(crate) fn is_property(behaviour: Behaviour) -> bool {
    matches!(behaviour, Behaviour::Property | Behaviour::InitOnly)
}

/// The properties of a type, in Puppet's order.
pub(crate) fn properties_of(kind: &Kind) -> Vec<String> {
    let mut names: Vec<String> = kind
        .has_trigger()
        .then(|| TRIGGER.to_owned())
        .into_iter()
        .collect();
    for attribute in &kind.definition.attributes {
        if is_property(attribute.behaviour) {
            match attribute.name.as_str() {
                "ensure" => names.insert(0, "ensure".to_owned()),
                name => names.push(name.to_owned()),
            }
        }
    }
    names
}

/// Are values equal as Ruby's `==` says? 1 is 1.0, also inside of others.
pub(crate) fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Integer(integer), Value::Float(float))
        | (Value::Float(float), Value::Integer(integer)) => integer
            .to_string()
            .parse::<f64>()
            .is_ok_and(|number| number == *float),
        (Value::Array(ones), Value::Array(others)) => {
            ones.len() == others.len() && ones.iter().zip(others).all(|(a, b)| alike(a, b))
        }
        (Value::Hash(ones), Value::Hash(others)) => {
            ones.len() == others.len()
                && ones.iter().all(|(key, value)| {
                    let mut named = others.iter().filter(|(known, _)| known == key);
                    named.next().is_some_and(|(_, other)| alike(value, other))
                })
        }
        _ => one == other,
    }
}
