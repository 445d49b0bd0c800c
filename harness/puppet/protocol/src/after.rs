//! What `get` shows after a `set`.

use crate::message::Answer;
use crate::phase;
use crate::purpose;
use crate::rows::named;
use crate::services::is_down;
use crate::session::{Call, Session};
use puppet_types::{Behaviour, Definition, Value};

/// A `set` that returned, and the `get` after it.
pub(crate) struct After<'s> {
    pub set: &'s Call,
    /// Each of its changes.
    pub each: Vec<One<'s>>,
    /// What is not as it was to be in the first change of which anything is not.
    pub wrong: Option<Wrong>,
}

/// One change, and what the `get` after it shows.
pub(crate) struct One<'s> {
    pub set: &'s Call,
    pub definition: &'s Definition,
    pub name: Value,
    pub change: Value,
    /// The row of its resource.
    pub row: Option<Value>,
    /// What is not as it was to be.
    pub wrong: Option<Wrong>,
    /// Is it still there, although a change without a target was to remove it?
    pub stays: bool,
}

/// Do rows show what a change was to reach, as far as Puppet compares it itself?
pub fn is_shown(definition: &Definition, change: &Value, rows: &[Value]) -> bool {
    let is_decided = |_: &str| definition.has_feature("custom_insync");
    wrong(definition, change, None, rows, &is_decided).is_none()
}

/// What a fresh process shows after a `set` whose target was not shown: the call, and whether the target is there now.
pub(crate) fn refreshed<'s>(session: &'s Session, set: &Call) -> Option<(&'s Call, bool)> {
    let mut later = session.calls(phase::GET).filter(|(call, _)| {
        call.number > set.number
            && call.item == set.item
            && call.key.part_of(purpose::REFRESHED) == Some(set.key.before())
    });
    let (call, answer) = later.next()?;
    let (rows, changes) = (answer.value("value")?, set.param("changes")?);
    let [change] = changes.as_array()? else {
        return None;
    };
    let mut sets = session.asked(phase::SET);
    let is_set_since = sets.any(|one| set.number < one.number && one.number < call.number);
    let definition = session.definition(call)?;
    let is_there = is_shown(definition, change.as_array()?.get(1)?, rows.as_array()?);
    (!is_set_since).then_some((call, is_there))
}

/// Does a call come after a `set` in the same process that reached its target, as a fresh process shows, and of which
/// new instances know nothing? RA516 judges that.
pub(crate) fn is_outdated(session: &Session, later: &Call) -> bool {
    let mut sets = session.asked(phase::SET);
    sets.any(|set| {
        set.number < later.number
            && set.process == later.process
            && set.item == later.item
            && refreshed(session, set).is_some_and(|(_, is_there)| is_there)
    })
}

/// Each change of each such `set`.
pub(crate) fn after_each(session: &Session) -> Vec<One<'_>> {
    let all = afters(session).into_iter();
    all.flat_map(|after| after.each).collect()
}

/// Properties that are not as they were to be.
#[derive(Clone)]
pub(crate) struct Wrong {
    /// Is the resource not listed at all?
    pub is_unlisted: bool,
    pub properties: Vec<String>,
    pub message: String,
}

/// Each `set` that returned without a failure, and what the `get` right after it shows.
pub(crate) fn afters(session: &Session) -> Vec<After<'_>> {
    let mut all = all_afters(session);
    all.retain(|after| !after.set.fails());
    all
}

/// The same, with those that failed.
pub(crate) fn all_afters(session: &Session) -> Vec<After<'_>> {
    let mut afters = Vec::new();
    for (set, get) in session.successive() {
        let is_pair =
            set.phase == phase::SET && get.phase == phase::GET && set.process == get.process;
        // What is only looked at stays as it is.
        let is_noop = set.param("noop") == Some(Value::Bool(true));
        // While a service is down, nothing can be seen.
        if !is_pair || is_noop || is_down(set) || session.changed_between(set, get) {
            continue;
        }
        let (Some(done), Some(read)) = (&set.answer, &get.answer) else {
            continue;
        };
        if matches!(done, Answer::Refused(..) | Answer::Broken(_)) {
            continue;
        }
        let raised = read.failure().filter(|failure| failure.missing.is_none());
        let raised = raised.filter(|_| !set.fails());
        let rows = read.value("value").or(raised.map(|_| Value::Undef));
        let (Some(definition), Some(rows), Some(Value::Array(changes))) =
            (session.definition(get), rows, set.param("changes"))
        else {
            continue;
        };
        let rows = rows.as_array().unwrap_or_default();
        // Puppet asks such types by name; whether the whole list agrees is RA207's business.
        let names = get.param("names").filter(|names| !names.is_nil());
        let is_filtered = definition.has_feature("simple_get_filter");
        if is_filtered && names.is_none() && raised.is_some() {
            continue;
        }
        let is_asked_otherwise = |name: &Value| {
            let names = names.as_ref().and_then(Value::as_array);
            is_filtered
                && names.is_none_or(|names| names.len() < changes.len() && !names.contains(name))
        };
        let canonical = canonical_between(session, set, get);
        // RA516 judges what an instance only remembers.
        let is_remembered = refreshed(session, set).is_some_and(|(_, is_there)| is_there);
        let unreadable = raised.map(|failure| Wrong {
            is_unlisted: false,
            properties: vec!["get".to_owned()],
            message: format!("afterwards `get` raises {}", failure.in_words()),
        });
        let each = changes.iter().filter_map(|change| {
            let [name, change] = change.as_array()? else {
                return None;
            };
            let known = change.get("should").filter(|should| !should.is_nil());
            let known = known.or_else(|| change.get("is"));
            Some(One {
                set,
                definition,
                name: name.clone(),
                change: change.clone(),
                stays: is_removal(change)
                    && known
                        .and_then(|known| row(definition, known, rows))
                        .is_some_and(|row| !is_gone(Some(row))),
                row: known
                    .and_then(|known| row(definition, known, rows))
                    .cloned(),
                wrong: unreadable.clone().or_else(|| {
                    let is_decided = |name: &str| is_decided(session, definition, set, name);
                    let is_decided = &is_decided;
                    // What is there now may have another canonical form than what was not there yet.
                    let mut later = canonical.iter();
                    let later = later.find(|target| {
                        let names = definition.namevars();
                        known.is_some_and(|own| {
                            let mut names = names.iter();
                            names.all(|key| own.get(key) == target.get(key))
                        })
                    });
                    wrong(definition, change, None, rows, is_decided)
                        .filter(|_| {
                            later.is_none_or(|later| {
                                wrong(definition, change, Some(later), rows, is_decided).is_some()
                            })
                        })
                        .filter(|wrong| !wrong.is_unlisted || !is_asked_otherwise(name))
                        .filter(|_| !is_remembered)
                }),
            })
        });
        let each: Vec<One<'_>> = each.collect();
        let wrong = each.iter().find_map(|one| one.wrong.clone());
        afters.push(After { set, each, wrong });
    }
    afters
}

/// The row of a resource.
fn row<'r>(definition: &Definition, resource: &Value, rows: &'r [Value]) -> Option<&'r Value> {
    let namevars = definition.namevars();
    rows.iter().find(|row| {
        namevars
            .iter()
            .all(|name| row.get(name).map(Value::to_text) == resource.get(name).map(Value::to_text))
    })
}

fn ensure(state: &Value) -> Option<String> {
    state.get("ensure").map(Value::to_text)
}

fn is_gone(row: Option<&Value>) -> bool {
    row.is_none_or(|row| ensure(row).is_some_and(|ensure| ensure == "absent"))
}

/// Is it a change without a target?
fn is_removal(change: &Value) -> bool {
    change.get("should").is_none_or(Value::is_nil)
}

/// Does `insync?` decide about a property? Not if it leaves the question to Puppet, which then compares values:
/// in the evaluation after a `set`, and whenever else it is asked.
fn is_decided(session: &Session, definition: &Definition, set: &Call, property: &str) -> bool {
    if !definition.has_feature("custom_insync") {
        return false;
    }
    let about = |call: &Call| {
        call.param("property")
            .is_some_and(|it| it.to_text() == property)
    };
    let asked = session.calls(phase::INSYNC);
    let asked: Vec<_> = asked.filter(|(call, _)| about(call)).collect();
    let is_left = |answer: &Answer| answer.value("value").is_some_and(|said| said.is_nil());
    let is_after = |call: &Call| call.number > set.number && call.item == set.item;
    !asked.iter().all(|(_, answer)| is_left(answer))
        || !asked.iter().any(|(call, _)| is_after(call))
}

/// Does `insync?` say that a property is not as it should be?
pub(crate) fn says_no(said: &Value) -> bool {
    match said {
        Value::Array(said) => said.first() == Some(&Value::Bool(false)),
        said => *said == Value::Bool(false),
    }
}

/// Is a part of a value wrapped?
pub(crate) fn holds_secrets(value: &Value) -> bool {
    match value {
        Value::Sensitive(_) => true,
        Value::Array(items) => items.iter().any(holds_secrets),
        Value::Hash(members) => members.iter().any(|(_, one)| holds_secrets(one)),
        _ => false,
    }
}

/// The targets as `canonicalize` wrote them between two calls.
fn canonical_between(session: &Session, set: &Call, get: &Call) -> Vec<Value> {
    let between = set.number..get.number;
    let all = session.calls(phase::CANONICALIZE);
    let all = all.filter(|(call, _)| between.contains(&call.number) && call.process == set.process);
    let written = all.filter_map(|(_, answer)| answer.value("value"));
    written
        .flat_map(|value| value.as_array().unwrap_or_default().to_vec())
        .collect()
}

/// What is not as a change wants it. With a `canonical` target, that says which values it wants.
fn wrong(
    definition: &Definition,
    change: &Value,
    canonical: Option<&Value>,
    rows: &[Value],
    is_decided: &impl Fn(&str) -> bool,
) -> Option<Wrong> {
    let should = change.get("should").filter(|should| !should.is_nil())?;
    let row = row(definition, should, rows);
    let of = named(definition, should);
    let wrong = |properties: Vec<&str>, message: String| {
        Some(Wrong {
            is_unlisted: false,
            properties: properties.into_iter().map(str::to_owned).collect(),
            message: format!("{of}: {message}"),
        })
    };
    if ensure(should).is_some_and(|ensure| ensure == "absent") {
        return match is_gone(row) {
            true => None,
            false => wrong(
                vec!["ensure"],
                "it is still there after its removal".to_owned(),
            ),
        };
    }
    let Some(row) = row.filter(|row| !is_gone(Some(row))) else {
        let unlisted = wrong(vec!["ensure"], "`get` does not list it".to_owned());
        return unlisted.map(|wrong| Wrong {
            is_unlisted: true,
            ..wrong
        });
    };
    let properties = definition.attributes.iter().filter(|one| {
        matches!(one.behaviour, Behaviour::Property | Behaviour::InitOnly) && one.name != "ensure"
    });
    let mut names: Vec<&str> = Vec::new();
    let mut messages = Vec::new();
    for property in properties {
        let Some(wanted) = should.get(&property.name).filter(|value| !value.is_nil()) else {
            continue;
        };
        let wanted = canonical
            .and_then(|own| own.get(&property.name))
            .unwrap_or(wanted);
        let before = change.get("is").and_then(|is| is.get(&property.name));
        // What is set at creation stays as it is, whatever is wanted later.
        let is_fixed = property.behaviour == Behaviour::InitOnly
            && before.is_some_and(|before| !before.is_nil() && before != wanted);
        // What `insync?` decides is not a question of equality.
        if is_fixed || is_decided(&property.name) {
            continue;
        }
        let name = &property.name;
        if holds_secrets(wanted) {
            // Only where both are wrapped as a whole, they can be compared.
            if let (Some(Value::Sensitive(is)), Value::Sensitive(wanted)) = (row.get(name), wanted)
                && is.to_text() != wanted.to_text()
            {
                messages.push(format!("`{name}` is another secret than the wanted one"));
                names.push(name);
            }
            continue;
        }
        messages.push(match row.get(name) {
            Some(is) if is == wanted => continue,
            Some(is) if is.as_symbol().is_some() && is.to_text() == wanted.to_text() => continue,
            Some(is) => format!(
                "`{name}` is {} instead of {}",
                is.inspect(),
                wanted.inspect()
            ),
            None => format!("`get` shows no `{name}`"),
        });
        names.push(name);
    }
    match messages.is_empty() {
        true => None,
        false => wrong(names, messages.join("; ")),
    }
}
