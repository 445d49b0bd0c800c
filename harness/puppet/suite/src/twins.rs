//! The same resource under other names, as far as its type admits them.

use crate::resource;
use crate::shown::Shown;
use puppet_types::{Definition, Type, Value};
use stickler_suite::Instance;
use stickler_transcript::{Value as Sent, Variation};

/// The same resource under another name, if its type admits one.
pub(crate) fn twin(shown: &Shown, item: &Instance) -> Option<Instance> {
    twins(shown, item).next()
}

/// The same resource under other names. If there are several namevars, one alone is another in each but the
/// first, as far as titles give them.
pub(crate) fn twins(shown: &Shown, item: &Instance) -> impl Iterator<Item = Instance> {
    let mut found: Vec<(Vec<bool>, Instance)> = Vec::new();
    if let Some(definition) = shown.definition(&item.kind) {
        let own = namevars(&definition, item);
        for twin in renamed(&definition, item) {
            let target = resource::target(&definition, &twin);
            if !resource::is_admitted(&definition, &twin, &target) {
                continue;
            }
            let other = namevars(&definition, &twin).into_iter().zip(&own);
            let differs: Vec<bool> = other.map(|(other, own)| other != *own).collect();
            let count = differs.iter().filter(|differs| **differs).count();
            let is_new = found.is_empty()
                || count == 1 && own.len() > 1 && found.iter().all(|(known, _)| *known != differs);
            if count > 0 && is_new {
                found.push((differs, twin));
            }
        }
    }
    found.into_iter().map(|(_, twin)| twin)
}

/// The item under other titles: with something more at the end, near the start, at the start, then
/// anywhere, as titles may have several parts; and with other words of an `Enum`.
fn renamed(definition: &Definition, item: &Instance) -> impl Iterator<Item = Instance> {
    let title = String::from_utf8_lossy(item.name()).into_owned();
    let inner = title.char_indices().map(|(at, _)| at).skip(1);
    let second = inner.clone().next().unwrap_or(title.len());
    let places = [title.len(), second, 0].into_iter().chain(inner);
    let places: Vec<usize> = places.collect();
    let mut names = Vec::new();
    for more in ["2", "b", "x"] {
        names.extend(places.iter().map(|at| {
            let (start, end) = title.split_at(*at);
            format!("{start}{more}{end}")
        }));
    }
    let target = resource::target(definition, item);
    for name in definition.namevars() {
        let own = definition
            .attribute(name)
            .and_then(|one| one.data_type.as_ref());
        if let (Some(Type::Enum { values, .. }), Some(Value::String(own))) = (own, target.get(name))
        {
            names.extend(values.iter().map(|other| title.replace(&**own, other)));
        }
    }
    names.into_iter().map(|name| {
        let words = format!("called \"{name}\"");
        let mut twin = item.altered(Variation::Near, ":twin", words);
        twin.set_name(name);
        twin
    })
}

/// The same under other names, each with other values.
pub(crate) fn with_other_values(shown: &Shown, item: &Instance) -> Vec<Instance> {
    let Some(definition) = shown.definition(&item.kind) else {
        return Vec::new();
    };
    twins(shown, item)
        .map(|twin| changed(&definition, twin))
        .collect()
}

/// The values of a resource's namevars.
pub(crate) fn namevars(definition: &Definition, item: &Instance) -> Vec<Option<Value>> {
    let target = resource::target(definition, item);
    let own = definition.namevars();
    own.iter().map(|name| target.get(name).cloned()).collect()
}

/// The resource with other texts and numbers, where its type admits them. If one names a path, all stay as
/// they are: the two resources may want something of one file, and other files may be missing.
fn changed(definition: &Definition, mut item: Instance) -> Instance {
    let is_path = |value: &Sent| value.as_text().is_some_and(|text| text.contains(&b'/'));
    if item.attributes.iter().any(|(_, value)| is_path(value)) {
        return item;
    }
    for at in 0..item.attributes.len() {
        let other = match &item.attributes[at].1 {
            Sent::Text(text) => Sent::Text([text, &b"2"[..]].concat()),
            Sent::Number(number) => match number.parse::<u32>() {
                Ok(number) => Sent::Number(number.saturating_add(1).to_string()),
                Err(_) => continue,
            },
            _ => continue,
        };
        let own = std::mem::replace(&mut item.attributes[at].1, other);
        if !resource::is_admitted(definition, &item, &resource::target(definition, &item)) {
            item.attributes[at].1 = own;
        }
    }
    item
}
