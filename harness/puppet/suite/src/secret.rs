//! Secrets within values: authors write them plainly, and manifests wrap them.

use puppet_types::{Type, Value};

/// Are values of this type wrapped as a whole, so that nobody shows them?
fn is_wrapped(own: &Type) -> bool {
    match own {
        Type::Sensitive(_) => true,
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => is_wrapped(inner),
        _ => false,
    }
}

/// May a part of a value of this type be wrapped, or all of it?
pub(crate) fn holds_secrets(own: &Type) -> bool {
    match own {
        Type::Sensitive(_) => true,
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => holds_secrets(inner),
        Type::Variant(types) | Type::Tuple { types, .. } => types.iter().any(holds_secrets),
        Type::Array { element, .. } => holds_secrets(element),
        Type::Hash { value, .. } => holds_secrets(value),
        Type::Struct(members) => members.iter().any(|one| holds_secrets(&one.value)),
        _ => false,
    }
}

/// A value as a manifest would pass it, with each secret wrapped.
pub fn wrapped(own: &Type, value: Value) -> Value {
    if value.is_nil() || matches!(value, Value::Sensitive(_)) || !holds_secrets(own) {
        return value;
    }
    if is_wrapped(own) {
        return Value::Sensitive(Box::new(value));
    }
    match (own, value) {
        (Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)), value) => wrapped(inner, value),
        (Type::Variant(types), value) => one_of(types, value),
        (Type::Array { element, .. }, Value::Array(items)) => {
            Value::Array(items.into_iter().map(|one| wrapped(element, one)).collect())
        }
        (Type::Tuple { types, .. }, Value::Array(items)) => {
            let of = |at: usize| types.get(at).or(types.last());
            let items = items.into_iter().enumerate().map(|(at, one)| match of(at) {
                Some(own) => wrapped(own, one),
                None => one,
            });
            Value::Array(items.collect())
        }
        (Type::Hash { value: own, .. }, Value::Hash(members)) => {
            let members = members.into_iter();
            Value::Hash(members.map(|(key, one)| (key, wrapped(own, one))).collect())
        }
        (Type::Struct(known), Value::Hash(members)) => {
            let members = members.into_iter().map(|(key, one)| {
                let name = key.to_text();
                let own = known.iter().find(|member| member.name == name);
                let one = match own {
                    Some(own) => wrapped(&own.value, one),
                    None => one,
                };
                (key, one)
            });
            Value::Hash(members.collect())
        }
        (_, value) => value,
    }
}

/// A value of one of several types. One of a few known words is no secret; of others, the first type that takes a
/// wrapped value says that it is one.
fn one_of(types: &[Type], value: Value) -> Value {
    let is_word = |own: &&Type| {
        matches!(
            own,
            Type::Enum { .. } | Type::Boolean(_) | Type::Undef | Type::Default
        ) && own.matches(&value).is_yes()
    };
    if types.iter().any(|own| is_word(&own)) {
        return value;
    }
    let candidates = types.iter().filter(|own| holds_secrets(own));
    let mut fitting = candidates.filter_map(|own| {
        let candidate = wrapped(own, value.clone());
        (candidate != value && own.matches(&candidate).is_yes()).then_some(candidate)
    });
    let found = fitting.next();
    found.unwrap_or(value)
}

/// What is wrapped in a value.
pub(crate) fn secrets(value: &Value) -> Vec<&Value> {
    match value {
        Value::Sensitive(inner) => vec![inner],
        Value::Array(items) => items.iter().flat_map(secrets).collect(),
        Value::Hash(members) => members.iter().flat_map(|(_, one)| secrets(one)).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{secrets, wrapped};
    use puppet_types::{Value, parse};

    #[test]
    fn secrets_are_wrapped_wherever_their_type_says_so() {
        let all = [
            ("Sensitive[String]", r#""hunter22""#, 1),
            ("Optional[Sensitive[String]]", r#""hunter22""#, 1),
            ("Variant[Sensitive[String], String]", r#""hunter22""#, 1),
            ("Variant[String, Sensitive[String]]", r#""hunter22""#, 1),
            (
                "Variant[Sensitive[String], Enum['absent']]",
                r#""absent""#,
                0,
            ),
            (
                "Optional[Variant[Undef, Sensitive[String]]]",
                r#""hunter22""#,
                1,
            ),
            ("Array[Sensitive[String]]", r#"["hunter22","hunter33"]"#, 2),
            ("Hash[Any, Sensitive[String]]", r#"{"a":"hunter22"}"#, 1),
            (
                "Struct[{user => String, password => Sensitive[String]}]",
                r#"{"user":"me","password":"hunter22"}"#,
                1,
            ),
            (
                "Variant[Array[Sensitive[String]], Sensitive[String]]",
                r#"["hunter22"]"#,
                1,
            ),
            (
                "Tuple[String, Sensitive[String]]",
                r#"["me","hunter22"]"#,
                1,
            ),
            ("String", r#""hunter22""#, 0),
        ];
        for (text, json, count) in all {
            let own = parse(text).expect(text);
            let value = Value::parse(json.as_bytes()).expect(json);
            let wrapped = wrapped(&own, value);
            assert_eq!(secrets(&wrapped).len(), count, "{text}");
            // Keys of JSON are symbols here, and those of manifests are texts.
            assert!(
                json.contains('{') || own.matches(&wrapped).is_yes(),
                "{text} {}",
                wrapped.inspect()
            );
        }
    }
}
