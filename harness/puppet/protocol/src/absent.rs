//! The state of a resource that does not exist, as deployed libraries make it up.

use puppet_types::Value;

/// What 1.8.16 and 2.0.1 pass as `:is`: the title or the namevars, and `ensure` where there is one.
pub fn absent(name: &Value, is_ensurable: bool) -> Value {
    let mut members = match name {
        Value::Hash(pairs) => pairs.clone(),
        name => vec![(Value::symbol("title"), name.clone())],
    };
    if is_ensurable {
        members.push((Value::symbol("ensure"), Value::symbol("absent")));
    }
    Value::Hash(members)
}

/// Does a state say that there is no resource? The specification has nil.
pub fn is_absent(state: &Value) -> bool {
    match state.get("ensure") {
        Some(ensure) => ensure.to_text() == "absent",
        None => state.is_nil() || is_title(state),
    }
}

/// Has it nothing but a title? Rows have a namevar at least.
fn is_title(state: &Value) -> bool {
    matches!(state.as_hash(), Some([(key, _)]) if key.as_symbol() == Some("title"))
}
