//! Items with other values of their attributes' own types, and without any.

use crate::resource;
use crate::secret::holds_secrets;
use crate::shown::Shown;
use puppet_types::generate::others;
use puppet_types::{Attribute, Behaviour, Definition, Dice, Value};
use stickler_suite::{Effort, Instance, Setting};
use stickler_transcript::{Value as Sent, Variation};

/// Shorter secrets may be a part of other texts.
const SECRET: usize = 8;
/// Descriptions show at most so many letters of a value.
const SHOWN: usize = 60;

/// The item with other values of one attribute, the most telling ones first.
pub(crate) fn values(
    setting: &Setting<'_>,
    definition: &Definition,
    item: &Instance,
    attribute: &Attribute,
) -> Vec<Instance> {
    let name = &attribute.name;
    let Some(own) = &attribute.data_type else {
        return Vec::new();
    };
    if setting.config.subject.executes.contains(name) {
        return Vec::new();
    }
    let target = resource::target(definition, item);
    // Made-up secrets are too short to be told from other texts.
    if holds_secrets(own) {
        return another_secret(definition, item, name).into_iter().collect();
    }
    let mut dice = Dice::new(setting.seed, &format!("values {} {name}", item.kind));
    let others = others(own, target.get(name), &mut dice).into_iter();
    let variants = others.enumerate().filter_map(|(number, other)| {
        let sent = sent(&other.value)?;
        let mut shown = other.value.inspect();
        if shown.chars().count() > SHOWN {
            shown = format!("{}…", shown.chars().take(SHOWN).collect::<String>());
        }
        let kind = match other.is_spaced {
            true => Variation::Text,
            false => Variation::Typed,
        };
        let words = format!("\"{name}\" is {shown}");
        let mut changed = item.variant(kind, name, &format!(":{number}"), words);
        changed.set(name, sent);
        let target = resource::target(definition, &changed);
        let is_admitted = resource::is_admitted(definition, &changed, &target);
        (target.get(name) == Some(&other.value) && is_admitted).then_some(changed)
    });
    variants.collect()
}

/// Other values of the attributes that a resource may set, as their types say: the most telling ones of each first.
pub(crate) fn others_of_all(
    shown: &Shown,
    setting: &Setting<'_>,
    item: &Instance,
) -> Vec<(String, Sent)> {
    let Some(definition) = shown.definition(&item.kind) else {
        return Vec::new();
    };
    let is_set = |one: &&Attribute| {
        let is_named = matches!(one.behaviour, Behaviour::ReadOnly | Behaviour::Namevar);
        !is_named && one.data_type.as_ref().is_none_or(|own| !holds_secrets(own))
    };
    let attributes = definition.attributes.iter().filter(is_set);
    let all = attributes.flat_map(|one| {
        let others = values(setting, &definition, item, one).into_iter();
        let name = one.name.clone();
        others.filter_map(move |other| Some((name.clone(), other.value(&name)?.clone())))
    });
    all.collect()
}

/// The item with another secret, which is as long as its own and has the same kinds of letters.
fn another_secret(definition: &Definition, item: &Instance, name: &str) -> Option<Instance> {
    let own = String::from_utf8(item.text(name)?.to_vec()).ok()?;
    let next = |letter: char| match letter {
        'z' => 'a',
        'Z' => 'A',
        '9' => '0',
        // The last ones of each kind are above.
        letter if letter.is_ascii_alphanumeric() => {
            char::from_u32(u32::from(letter) + 1).unwrap_or(letter)
        }
        other => other,
    };
    let other: String = own.chars().map(next).collect();
    if own.len() < SECRET || other == own {
        return None;
    }
    let words = format!("\"{name}\" is another secret");
    let mut changed = item.variant(Variation::Typed, name, ":secret", words);
    changed.set(name, Sent::text(other));
    let target = resource::target(definition, &changed);
    let is_wrapped = matches!(target.get(name), Some(Value::Sensitive(_)));
    (is_wrapped && resource::is_admitted(definition, &changed, &target)).then_some(changed)
}

/// One of each list after the other, then the second of each, and so on.
pub(crate) fn in_turns<T>(lists: Vec<Vec<T>>) -> Vec<T> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(lists.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}

/// The properties of a type, without `ensure`: whose words are states of the whole resource.
pub(crate) fn properties(definition: &Definition) -> impl Iterator<Item = &Attribute> {
    definition.properties().filter(|one| one.name != "ensure")
}

/// The target that removes the item's resource. `None` if the type has none.
pub(crate) fn removal(definition: &Definition, item: &Instance, number: usize) -> Option<Instance> {
    let suffix = format!(":gone{number}");
    let mut gone = item.variant(Variation::Typed, "ensure", &suffix, "removed".into());
    gone.attributes.retain(|(name, _)| {
        let name = String::from_utf8_lossy(name);
        let own = definition.attribute(&name);
        own.is_some_and(|own| matches!(own.behaviour, Behaviour::Namevar | Behaviour::Parameter))
    });
    gone.set("ensure", Sent::text("absent"));
    let target = resource::target(definition, &gone);
    let is_admitted = resource::is_admitted(definition, &gone, &target);
    (definition.is_ensurable() && is_admitted).then_some(gone)
}

/// Does the item demand that there is no resource?
pub(crate) fn is_removal(item: &Instance) -> bool {
    item.text("ensure") == Some(b"absent")
}

/// How much is tried of each type: little, or ten times as much.
pub(crate) fn most(effort: Effort, usual: usize) -> usize {
    match effort {
        Effort::Quick => 0,
        Effort::Normal => usual,
        Effort::Deep => usual * 10,
    }
}

/// A value of Ruby as an item holds it. `None` if manifests have no such value.
pub(crate) fn sent(value: &Value) -> Option<Sent> {
    Some(match value {
        Value::Bool(bool) => Sent::Bool(*bool),
        Value::Integer(number) => Sent::Number(number.to_string()),
        Value::Float(number) if number.is_finite() => Sent::Number(value.to_text()),
        Value::String(text) => Sent::text(text.clone()),
        Value::Array(items) => Sent::List(items.iter().map(sent).collect::<Option<_>>()?),
        Value::Hash(pairs) => {
            let members = pairs.iter().map(|(key, value)| {
                let name = key.as_str()?;
                Some((name.as_bytes().to_vec(), sent(value)?))
            });
            Sent::Object(members.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{in_turns, sent};
    use crate::resource::value;
    use puppet_types::Value;

    #[test]
    fn lists_take_turns() {
        assert_eq!(
            in_turns(vec![vec![1, 4, 6], vec![], vec![2], vec![3, 5]]),
            [1, 2, 3, 4, 5, 6]
        );
    }

    #[test]
    fn values_arrive_as_they_were() {
        let json = r#"[true,3,1.5,"a",["b"]]"#;
        let own = Value::parse(json.as_bytes()).expect("a value");
        let mut all = own.as_array().expect("a list").to_vec();
        all.push(Value::Hash(vec![(Value::string("k"), Value::integer(1))]));
        for one in &all {
            assert_eq!(sent(one).map(|sent| value(&sent)).as_ref(), Some(one));
        }
        assert_eq!(sent(&Value::symbol("present")), None);
    }
}
