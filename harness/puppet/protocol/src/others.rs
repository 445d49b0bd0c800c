//! The rows of resources that `set` was not called to change.

use crate::rows::named;
use puppet_types::{Behaviour, Definition, Value};

/// The first difference between rows that must stay unchanged.
pub(crate) struct Difference {
    /// Was there no such row before?
    pub is_new: bool,
    pub in_words: String,
}

/// How the rows of two reads differ, without those of the changed names.
pub(crate) fn differ(
    definition: &Definition,
    changed: &[Value],
    before: &[Value],
    after: &[Value],
) -> Option<Difference> {
    let namevars = definition.namevars();
    let is_named = |row: &Value, name: &Value| match name {
        Value::Hash(_) => namevars.iter().all(|key| row.get(key) == name.get(key)),
        name => namevars.first().and_then(|key| row.get(key)) == Some(name),
    };
    let is_other =
        |row: &&Value| row.as_hash().is_some() && !changed.iter().any(|name| is_named(row, name));
    let is_same =
        |one: &Value, other: &Value| namevars.iter().all(|key| one.get(key) == other.get(key));
    let old = |in_words| Difference {
        is_new: false,
        in_words,
    };
    for row in before.iter().filter(is_other) {
        let of = named(definition, row);
        let Some(now) = after.iter().find(|other| is_same(row, other)) else {
            return Some(old(format!("{of} is gone, but was not to change")));
        };
        for attribute in &definition.attributes {
            // A row may have nil, or leave the attribute out.
            let value = |row: &'_ Value| {
                row.get(&attribute.name)
                    .filter(|value| !value.is_nil())
                    .cloned()
            };
            let (was, is) = (value(row), value(now));
            if attribute.behaviour != Behaviour::ReadOnly && was != is {
                let shown = |value: Option<Value>| {
                    value.map_or("nothing".to_owned(), |value| value.inspect())
                };
                return Some(old(format!(
                    "`{}` of {of} changed from {} to {}, but {of} was not to change",
                    attribute.name,
                    shown(was),
                    shown(is)
                )));
            }
        }
    }
    let mut added = after.iter().filter(is_other);
    let added = added.find(|row| !before.iter().any(|other| is_same(row, other)));
    added.map(|row| Difference {
        is_new: true,
        in_words: format!(
            "{} was created, but was not to change",
            named(definition, row)
        ),
    })
}
