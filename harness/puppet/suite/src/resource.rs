//! Resources as a runtime gives them to a provider.

use crate::deferred::Encoded;
use crate::secret::wrapped;
use crate::vocabulary::VOCABULARY;
use puppet_types::titles::{Title, first_match};
use puppet_types::{Attribute, Behaviour, Definition, Type, Value};
use stickler_suite::Instance;
use stickler_suite::config::Config;
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

/// The attributes of an item as a manifest passes them. What manifests leave out is not there.
pub(crate) fn parameters(definition: &Definition, item: &Instance) -> Vec<(String, Encoded)> {
    let given = item.attributes.iter().map(|(name, sent)| {
        let name = String::from_utf8_lossy(name).into_owned();
        let value = given(definition, &name, sent);
        (name, value)
    });
    let given = given.filter(|(_, value)| !value.is_nil());
    given.map(|(name, value)| (name, Encoded(value))).collect()
}

/// A value of an attribute; authors need not say that it is secret.
pub(crate) fn given(definition: &Definition, name: &str, sent: &Sent) -> Value {
    let own = definition
        .attribute(name)
        .and_then(|one| one.data_type.as_ref());
    let value = value(sent);
    match own {
        Some(own) => wrapped(own, value),
        None => value,
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
        set(&name, given(definition, &name, sent));
    }
    let title = String::from_utf8_lossy(item.name());
    for (namevar, text) in namevars(definition, &title) {
        set(&namevar, Value::string(text));
    }
    for attribute in &definition.attributes {
        if attribute.behaviour != Behaviour::ReadOnly
            && let Some(default) = &attribute.default
            && !default.is_nil()
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
/// types, what can only be read, and resources without a mandatory attribute.
pub fn is_admitted(definition: &Definition, item: &Instance, target: &Value) -> bool {
    !is_untitled(definition, item)
        && refusal(definition, target).is_none()
        && lacks(definition, target).is_none()
}

/// Why a runtime refuses a resource before it asks the provider, if it does.
pub(crate) fn refused(definition: &Definition, item: &Instance) -> Option<String> {
    if is_untitled(definition, item) {
        return Some("no title pattern matches its title".to_owned());
    }
    let target = target(definition, item);
    // What a provider makes canonical is compared with the types afterwards.
    let why = match definition.has_feature("canonicalize") {
        true => misnamed(definition, &target),
        false => refusal(definition, &target),
    };
    why.or_else(|| lacks(definition, &target))
}

/// Which of its attributes nobody may set, if there is one.
fn misnamed(definition: &Definition, target: &Value) -> Option<String> {
    let members = target.as_hash().unwrap_or_default();
    members.iter().find_map(|(key, _)| {
        let name = key.as_symbol().unwrap_or("?");
        match definition.attribute(name) {
            None => {
                let known = definition.attributes.iter();
                let known = known.filter(|one| one.behaviour != Behaviour::ReadOnly);
                let known: Vec<&str> = known.map(|one| &*one.name).collect();
                Some(format!(
                    "the type has no attribute `{name}`, only {}",
                    known.join(", ")
                ))
            }
            Some(one) if one.behaviour == Behaviour::ReadOnly => {
                Some(format!("`{name}` can only be read"))
            }
            Some(_) => None,
        }
    })
}

/// Why a runtime refuses it, if it does. The value is not named: it may be secret.
fn refusal(definition: &Definition, target: &Value) -> Option<String> {
    if let Some(why) = misnamed(definition, target) {
        return Some(why);
    }
    mistyped(definition, target).next().map(|one| one.why())
}

/// An attribute whose value is of another type. The value is not named: it may be secret.
pub(crate) struct Mistyped<'d> {
    pub name: &'d str,
    /// The type that it is to have. `None` if it is no text at all.
    own: Option<&'d Type>,
}

impl Mistyped<'_> {
    pub(crate) fn why(&self) -> String {
        let name = self.name;
        match self.own {
            Some(own) => format!("`{name}` is not of the type {own}"),
            // Manifests are UTF-8.
            None => format!("`{name}` is no text in UTF-8"),
        }
    }
}

/// The attributes of a target whose values are of other types.
pub(crate) fn mistyped<'d>(
    definition: &'d Definition,
    target: &'d Value,
) -> impl Iterator<Item = Mistyped<'d>> {
    let members = target.as_hash().unwrap_or_default().iter();
    members.filter_map(|(key, value)| {
        let name = key.as_symbol().unwrap_or("?");
        let attribute = definition.attribute(name)?;
        if has_binary(value) {
            return Some(Mistyped { name, own: None });
        }
        let own = attribute.data_type.as_ref();
        own.filter(|own| own.matches(value).is_no())
            .map(|own| Mistyped {
                name,
                own: Some(own),
            })
    })
}

/// Is a text in the value, or in what it holds, not valid UTF-8?
fn has_binary(value: &Value) -> bool {
    match value {
        Value::Binary(_) => true,
        Value::Array(items) => items.iter().any(has_binary),
        Value::Hash(pairs) => pairs
            .iter()
            .any(|(key, value)| has_binary(key) || has_binary(value)),
        Value::Sensitive(inner) => has_binary(inner),
        _ => false,
    }
}

/// Has an attribute whose type is not known here a value that no example of the author's has? Nobody can
/// tell whether it is admitted.
pub(crate) fn is_guessed(
    config: &Config,
    definition: &Definition,
    item: &Instance,
    target: &Value,
) -> bool {
    let is_unknown = |one: &&Attribute| {
        let own = one.data_type.as_ref();
        own.is_some_and(|own| own.unknown().is_some())
    };
    let mut unknown = definition.attributes.iter().filter(is_unknown).peekable();
    if unknown.peek().is_none() {
        return false;
    }
    let usual = config.subject.kinds.first().map_or("", String::as_str);
    let examples = config.examples.iter();
    let examples = examples.map(|one| Instance::of(one, "e", usual, &VOCABULARY, 0));
    let known: Vec<Value> = examples
        .filter(|one| one.kind == item.kind)
        .map(|one| self::target(definition, &one))
        .collect();
    unknown.any(|one| {
        let value = target.get(&one.name);
        value.is_some() && known.iter().all(|own| own.get(&one.name) != value)
    })
}

/// Which attribute a runtime misses, if it does: of a resource that shall exist, all whose types are
/// not optional; parameters always.
pub(crate) fn lacks(definition: &Definition, target: &Value) -> Option<String> {
    let ensure = target.get("ensure").map(Value::to_text);
    let is_wanted = ensure.is_some_and(|ensure| ensure != "absent");
    let mut missing = definition.attributes.iter().filter(|one| {
        let is_asked = match one.behaviour {
            Behaviour::Parameter => true,
            Behaviour::Property | Behaviour::InitOnly => is_wanted && one.name != "ensure",
            Behaviour::Namevar | Behaviour::ReadOnly => false,
        };
        let is_optional = matches!(one.data_type, None | Some(Type::Optional(_)));
        is_asked && !is_optional && target.get(&one.name).is_none_or(Value::is_nil)
    });
    let first = missing.next()?;
    Some(format!(
        "`{}` is missing, which is mandatory: give it a value, or its type `Optional[…]`",
        first.name
    ))
}

/// Does no title pattern of the type match the title?
pub(crate) fn is_untitled(definition: &Definition, item: &Instance) -> bool {
    let title = String::from_utf8_lossy(item.name());
    let patterns = definition.title_patterns.as_ref();
    patterns.is_some_and(|all| matches!(first_match(all, &title), Ok(Title::Unmatched)))
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

#[cfg(test)]
mod tests {
    use super::has_binary;
    use puppet_types::Value;

    #[test]
    fn bytes_that_are_no_text_are_seen_wherever_they_are() {
        let bytes = || Value::Binary(vec![0xc3]);
        let text = || Value::string("é");
        for value in [
            bytes(),
            Value::Array(vec![text(), bytes()]),
            Value::Hash(vec![(text(), bytes())]),
            Value::Hash(vec![(bytes(), text())]),
            Value::Sensitive(Box::new(Value::Array(vec![bytes()]))),
        ] {
            assert!(has_binary(&value), "{value:?}");
        }
        assert!(!has_binary(&Value::Hash(vec![(
            text(),
            Value::Array(vec![text()])
        )])));
    }
}
