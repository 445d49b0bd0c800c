//! Questions to `insync?` about states and targets that no evaluation of an example has.

use super::in_session::InSession;
use super::known::Known;
use super::message::{names, said, send, with};
use crate::deferred::{About, Evaluation};
use puppet_types::Value;
use puppet_types::definition::TRIGGER;
use std::collections::BTreeSet;
use stickler_session::{SessionError, Stage};
use stickler_transcript::Send;

pub(super) fn ask(
    planned: &Send,
    evaluation: &Evaluation,
    property: &str,
    about: &About,
    stage: &mut dyn Stage,
) -> Result<bool, SessionError> {
    let rows = evaluation.rows.as_ref().and_then(|key| said(stage, key));
    let mut caller = InSession::new(planned, evaluation, stage);
    let known = Known::of(&mut caller, evaluation);
    if caller.has_ended() {
        return caller.end();
    }
    let params = known
        .and_then(|known| compared(&known, &rows?, about))
        // A runtime asks only about what the target declares.
        .filter(|(_, _, should)| property == TRIGGER || declares(should, property))
        .and_then(|(name, is, should)| {
            let members = [
                ("name", name),
                ("property", Value::string(property)),
                ("is", is),
                ("should", should),
            ];
            with(stage, "provider", &evaluation.open, Value::hash(members))
        });
    send(planned, params, stage)
}

fn declares(target: &Value, property: &str) -> bool {
    target.get(property).is_some_and(|value| !value.is_nil())
}

/// The name, the state and the target. `None` if there is no such state.
fn compared(known: &Known, rows: &Value, about: &About) -> Option<(Value, Value, Value)> {
    let name = known.resource.name();
    let target = known.target.clone();
    match (about, known.row.clone()) {
        (About::Row, Some(row)) => Some((name, row, target)),
        (About::AsIs(names), Some(row)) => {
            let target = like(&target, &row, names);
            Some((name, row, target))
        }
        (About::Unlisted, None) => Some((name, known.absent(), target)),
        (About::Other(number), own) => {
            let namevars = known.resource.definition().namevars();
            let others = shapes(rows.as_array()?, own.as_ref(), &namevars);
            let row = (*others.get(*number)?).clone();
            let target = renamed(&target, &row, &namevars)?;
            let namevars: Vec<String> = namevars.into_iter().map(str::to_owned).collect();
            let names = names(&Value::Array(vec![row.clone()]), &namevars)?;
            let name = names.as_array()?.first()?.clone();
            Some((name, row, target))
        }
        (About::Row | About::AsIs(_), None) | (About::Unlisted, Some(_)) => None,
    }
}

/// A row of each kind beside the resource's own: two are of different kinds if not the same attributes
/// have a value in them. Those with the fewest values come first.
fn shapes<'r>(rows: &'r [Value], own: Option<&Value>, namevars: &[&str]) -> Vec<&'r Value> {
    let keys = |row: &Value| {
        let members = row.as_hash().unwrap_or_default().iter();
        let set = members.filter(|(_, value)| !value.is_nil());
        let names = set.filter_map(|(key, _)| key.as_symbol().map(str::to_owned));
        names.collect::<BTreeSet<String>>()
    };
    let mut seen: Vec<BTreeSet<String>> = own.map(keys).into_iter().collect();
    let mut found: Vec<&Value> = Vec::new();
    for row in rows {
        let own_keys = keys(row);
        let is_named = namevars.iter().all(|name| own_keys.contains(*name));
        // A resource that is not there is no state.
        let ensure = row.get("ensure").map(Value::to_text);
        if is_named && ensure.as_deref() != Some("absent") && !seen.contains(&own_keys) {
            seen.push(own_keys);
            found.push(row);
        }
    }
    found.sort_by_key(|row| keys(row).len());
    found
}

/// The same target for the resource of another row.
fn renamed(target: &Value, row: &Value, namevars: &[&str]) -> Option<Value> {
    let mut members = target.as_hash()?.to_vec();
    for (key, value) in &mut members {
        if key.as_symbol().is_some_and(|name| namevars.contains(&name)) {
            *value = row.get(key.as_symbol()?)?.clone();
        }
    }
    Some(Value::Hash(members))
}

/// A target whose attributes of these names are as the row has them.
fn like(target: &Value, row: &Value, names: &[String]) -> Value {
    let is_one = |key: &Value| names.iter().any(|name| Some(&**name) == key.as_symbol());
    let members = target.as_hash().unwrap_or_default().iter();
    let mut members: Vec<(Value, Value)> =
        members.filter(|(key, _)| !is_one(key)).cloned().collect();
    for name in names {
        match row.get(name) {
            None | Some(Value::Undef) => {}
            // Manifests have text where providers return symbols.
            Some(Value::Symbol(text)) => members.push((Value::symbol(name), Value::string(text))),
            Some(value) => members.push((Value::symbol(name), value.clone())),
        }
    }
    Value::Hash(members)
}

#[cfg(test)]
mod tests {
    use super::{like, renamed, shapes};
    use puppet_types::Value;

    fn value(json: &str) -> Value {
        Value::parse(json.as_bytes()).expect("a value")
    }

    #[test]
    fn rows_that_lack_something_are_asked_about() {
        let rows = value(
            r#"[{"name":"a","v":1},{"name":"b","v":2},{"name":"c"},{"v":3},{"name":"d","v":null}]"#,
        );
        let rows = rows.as_array().expect("a list");
        let found = shapes(rows, Some(&rows[0]), &["name"]);
        assert_eq!(found, [&rows[2]]);
        let target = value(r#"{"name":"a","v":9}"#);
        let other = renamed(&target, found[0], &["name"]);
        assert_eq!(other, Some(value(r#"{"name":"c","v":9}"#)));
        let names = ["v".to_owned()];
        assert_eq!(like(&target, &rows[0], &names), rows[0]);
        assert_eq!(like(&target, &rows[2], &names), value(r#"{"name":"a"}"#));
    }
}
