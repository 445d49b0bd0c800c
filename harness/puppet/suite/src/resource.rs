//! Resources as a runtime gives them to a provider.

use puppet_types::titles::{Title, first_match};
use puppet_types::{Behaviour, Definition, Type, Value};
use stickler_suite::Instance;
use stickler_transcript::Value as Sent;

/// A value of an item, as Ruby code gets it from a manifest.
pub fn value(sent: &Sent) -> Value {
    match sent {
        Sent::Null => Value::Undef,
        Sent::Bool(bool) => Value::Bool(*bool),
        Sent::Number(number) => {
            Value::parse(number.as_bytes()).unwrap_or_else(|_| Value::string(number.clone()))
        }
        Sent::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Value::string(text),
            Err(_) => Value::Binary(text.clone()),
        },
        Sent::List(items) => Value::Array(items.iter().map(value).collect()),
        Sent::Object(members) => {
            let member =
                |(name, one): &(Vec<u8>, Sent)| (value(&Sent::Text(name.clone())), value(one));
            let mut hash: Vec<(Value, Value)> = Vec::new();
            for (name, value) in members.iter().map(member) {
                // Of one key twice, the last counts, as in manifests.
                hash.retain(|(known, _)| *known != name);
                hash.push((name, value));
            }
            Value::Hash(hash)
        }
    }
}

/// The target of an item: its namevars, its attributes, and the defaults of others.
pub fn target(definition: &Definition, item: &Instance) -> Value {
    let mut members: Vec<(Value, Value)> = Vec::new();
    let mut set = |name: &str, value: Value| {
        let known = members.iter().any(|(key, _)| key.as_symbol() == Some(name));
        if !known {
            members.push((Value::symbol(name), value));
        }
    };
    for (name, sent) in &item.attributes {
        let name = String::from_utf8_lossy(name);
        let is_secret = definition
            .attribute(&name)
            .and_then(|one| one.data_type.as_ref())
            .is_some_and(holds_secrets);
        let value = value(sent);
        set(
            &name,
            match is_secret && !value.is_nil() {
                true => Value::Sensitive(Box::new(value)),
                false => value,
            },
        );
    }
    let title = String::from_utf8_lossy(item.name());
    for (namevar, text) in namevars(definition, &title) {
        set(&namevar, Value::string(text));
    }
    for attribute in &definition.attributes {
        if attribute.behaviour != Behaviour::ReadOnly
            && let Some(default) = &attribute.default
        {
            set(&attribute.name, default.clone());
        }
    }
    // In the order of the definition, as the library has them.
    let place = |(key, _): &(Value, Value)| {
        let mut names = definition.attributes.iter();
        names.position(|one| Some(&*one.name) == key.as_symbol())
    };
    members.sort_by_key(|member| place(member).unwrap_or(usize::MAX));
    Value::Hash(members)
}

/// Would a runtime hand this target to the provider? It refuses unknown attributes, values of other
/// types, and what can only be read.
pub fn is_admitted(definition: &Definition, target: &Value) -> bool {
    let members = target.as_hash().unwrap_or_default();
    members.iter().all(|(key, value)| {
        // Manifests are UTF-8.
        if matches!(value, Value::Binary(_)) {
            return false;
        }
        let attribute = key.as_symbol().and_then(|name| definition.attribute(name));
        attribute.is_some_and(|attribute| {
            let own = attribute.data_type.as_ref();
            attribute.behaviour != Behaviour::ReadOnly
                && own.is_none_or(|own| !own.matches(value).is_no())
        })
    })
}

/// Are values of this type wrapped, so that nobody shows them?
pub(crate) fn holds_secrets(own: &Type) -> bool {
    match own {
        Type::Sensitive(_) => true,
        Type::Optional(Some(inner)) => holds_secrets(inner),
        _ => false,
    }
}

/// The namevars that a title gives.
fn namevars(definition: &Definition, title: &str) -> Vec<(String, String)> {
    let names = definition.namevars();
    if let Some(patterns) = &definition.title_patterns
        && let Ok(Title::Matched { namevars, .. }) = first_match(patterns, title)
    {
        let captures = namevars.into_iter();
        return captures
            .filter_map(|capture| Some((capture.name, capture.text?)))
            .collect();
    }
    let first = names.first();
    first.map_or_else(Vec::new, |name| {
        vec![((*name).to_owned(), title.to_owned())]
    })
}
