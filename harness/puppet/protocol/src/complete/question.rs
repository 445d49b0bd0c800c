//! Questions to `insync?` about states and targets that no evaluation of an example has.

use puppet_types::Value;
use std::collections::BTreeSet;

/// A row of each kind beside the resource's own: two are of different kinds if not the same attributes
/// have a value in them. Those with the fewest values come first.
pub(super) fn shapes<'r>(
    rows: &'r [Value],
    own: Option<&Value>,
    namevars: &[Value],
) -> Vec<&'r Value> {
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
        let mut names = namevars.iter().filter_map(Value::as_str);
        let is_named = names.all(|name| own_keys.contains(name));
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
pub(super) fn renamed(target: &Value, row: &Value, namevars: &[Value]) -> Option<Value> {
    let mut members = target.as_hash()?.to_vec();
    for (key, value) in &mut members {
        let is_name = |name: &Value| name.as_str() == key.as_symbol();
        if namevars.iter().any(is_name) {
            *value = row.get(key.as_symbol()?)?.clone();
        }
    }
    Some(Value::Hash(members))
}

/// A target whose attributes of these names are as the row has them.
pub(super) fn like(target: &Value, row: &Value, names: &[Value]) -> Value {
    let is_one = |key: &Value| names.iter().any(|name| name.as_str() == key.as_symbol());
    let members = target.as_hash().unwrap_or_default().iter();
    let mut members: Vec<(Value, Value)> =
        members.filter(|(key, _)| !is_one(key)).cloned().collect();
    for name in names.iter().filter_map(Value::as_str) {
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
        let namevars = [Value::string("name")];
        let found = shapes(rows, Some(&rows[0]), &namevars);
        assert_eq!(found, [&rows[2]]);
        let target = value(r#"{"name":"a","v":9}"#);
        let other = renamed(&target, found[0], &namevars);
        assert_eq!(other, Some(value(r#"{"name":"c","v":9}"#)));
        let names = [Value::string("v")];
        assert_eq!(like(&target, &rows[0], &names), rows[0]);
        assert_eq!(like(&target, &rows[2], &names), value(r#"{"name":"a"}"#));
    }
}
