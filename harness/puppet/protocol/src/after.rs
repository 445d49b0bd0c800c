//! What `get` shows after a `set`.

use crate::phase;
use crate::rows::named;
use crate::session::{Call, Session};
use puppet_types::{Behaviour, Definition, Value};

/// A `set` that returned, and the `get` after it.
pub(crate) struct After<'s> {
    pub set: &'s Call,
    /// The first property that is not as it was to be.
    pub wrong: Option<Wrong>,
}

/// A property that is not as it was to be.
pub(crate) struct Wrong {
    pub property: String,
    pub message: String,
}

/// Each `set` that returned without a failure, and what the `get` right after it shows.
pub(crate) fn afters(session: &Session) -> Vec<After<'_>> {
    let mut afters = Vec::new();
    for pair in session.exchanges.windows(2) {
        let [set, get] = pair else { continue };
        let is_pair =
            set.phase == phase::SET && get.phase == phase::GET && set.process == get.process;
        if !is_pair || session.changed_between(set, get) {
            continue;
        }
        let (Some(done), Some(read)) = (&set.answer, &get.answer) else {
            continue;
        };
        let returned = done.failure().is_none() && !done.is_failed() && read.failure().is_none();
        let (Some(definition), Some(rows), Some(Value::Array(changes))) = (
            session.definition(get),
            read.value("value"),
            set.param("changes"),
        ) else {
            continue;
        };
        if !returned {
            continue;
        }
        let rows = rows.as_array().unwrap_or_default();
        let wrong = changes
            .iter()
            .find_map(|change| wrong(definition, change.as_array()?.get(1)?, rows));
        afters.push(After { set, wrong });
    }
    afters
}

fn wrong(definition: &Definition, change: &Value, rows: &[Value]) -> Option<Wrong> {
    let should = change.get("should").filter(|should| !should.is_nil())?;
    let namevars = definition.namevars();
    let is_it = |row: &&Value| {
        namevars
            .iter()
            .all(|name| row.get(name).map(Value::to_text) == should.get(name).map(Value::to_text))
    };
    let row = rows.iter().find(is_it);
    let of = named(definition, should);
    let wrong = |property: &str, message: String| {
        Some(Wrong {
            property: property.to_owned(),
            message: format!("{of}: {message}"),
        })
    };
    let ensure = |state: &Value| state.get("ensure").map(Value::to_text);
    let is_gone = |row: Option<&Value>| {
        row.is_none_or(|row| ensure(row).is_some_and(|ensure| ensure == "absent"))
    };
    if ensure(should).is_some_and(|ensure| ensure == "absent") {
        return match is_gone(row) {
            true => None,
            false => wrong("ensure", "it is still there after its removal".to_owned()),
        };
    }
    let Some(row) = row.filter(|row| !is_gone(Some(row))) else {
        return wrong("ensure", "`get` does not list it".to_owned());
    };
    // What `insync?` decides is not a question of equality.
    if definition.has_feature("custom_insync") {
        return None;
    }
    let properties = definition.attributes.iter().filter(|one| {
        matches!(one.behaviour, Behaviour::Property | Behaviour::InitOnly) && one.name != "ensure"
    });
    for property in properties {
        let Some(wanted) = should.get(&property.name).filter(|value| !value.is_nil()) else {
            continue;
        };
        if matches!(wanted, Value::Sensitive(_)) {
            continue;
        }
        match row.get(&property.name) {
            Some(is)
                if is == wanted || is.as_symbol().is_some() && is.to_text() == wanted.to_text() => {
            }
            Some(is) => {
                return wrong(
                    &property.name,
                    format!(
                        "`{}` is {} instead of {}",
                        property.name,
                        is.inspect(),
                        wanted.inspect()
                    ),
                );
            }
            None => {
                return wrong(
                    &property.name,
                    format!("`get` shows no `{}`", property.name),
                );
            }
        }
    }
    None
}
