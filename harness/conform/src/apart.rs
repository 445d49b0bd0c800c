//! The first place where two values differ.

use serde_json::Value;

/// What differs first, on both sides: with its number in a list, and the place within that item.
pub fn apart(expected: &Value, got: &Value) -> (String, String) {
    let (mut steps, mut one, mut other) = (Vec::new(), Some(expected), Some(got));
    while let Some(step) = step(one, other) {
        (one, other) = (
            one.and_then(|own| at(own, &step)),
            other.and_then(|own| at(own, &step)),
        );
        steps.push(step);
    }
    let place = match &steps[..] {
        [] => String::new(),
        [first, within @ ..] => {
            let number = match first.parse::<usize>() {
                Ok(number) if expected.is_array() => format!("number {}", number + 1),
                _ => format!("at {first}"),
            };
            match within.is_empty() {
                true => format!(" ({number})"),
                false => format!(" ({number}, at {})", within.join("/")),
            }
        }
    };
    let shown = |value: Option<&Value>| match value {
        Some(value) => format!("{value}{place}"),
        None => format!("nothing{place}"),
    };
    (shown(one), shown(other))
}

fn at<'v>(value: &'v Value, step: &str) -> Option<&'v Value> {
    match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        value => value.get(step),
    }
}

/// The first item or member that differs, of two lists or two objects.
fn step(one: Option<&Value>, other: Option<&Value>) -> Option<String> {
    match (one?, other?) {
        (Value::Array(one), Value::Array(other)) => {
            let mut all = 0..one.len().max(other.len());
            let first = all.find(|at| one.get(*at) != other.get(*at));
            first.map(|at| at.to_string())
        }
        (Value::Object(one), Value::Object(other)) => {
            let mut keys = one.keys().chain(other.keys());
            keys.find(|key| one.get(*key) != other.get(*key)).cloned()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::apart;
    use serde_json::{Value, json};

    #[test]
    fn the_first_place_that_differs_is_named_on_both_sides() {
        let call = |is: Value, should: Value| json!([{ "call": "new" }, { "call": "set", "changes": [["a", { "is": is, "should": should }]] }]);
        let (one, two) = (
            json!({ "name": "a", "v": 1 }),
            json!({ "name": "a", "v": 2 }),
        );
        let place = "(number 2, at changes/0/1/is/v)";
        let cases = [
            (
                call(one.clone(), two.clone()),
                call(two, one),
                format!("1 {place}"),
                format!("2 {place}"),
            ),
            (
                json!([1]),
                json!([1, 2]),
                "nothing (number 2)".to_owned(),
                "2 (number 2)".to_owned(),
            ),
            (
                json!({ "a": 1 }),
                json!({ "b": 1 }),
                "1 (at a)".to_owned(),
                "nothing (at a)".to_owned(),
            ),
            (json!(2), json!(0), "2".to_owned(), "0".to_owned()),
            (
                json!([{ "a": 1 }]),
                json!([2]),
                "{\"a\":1} (number 1)".to_owned(),
                "2 (number 1)".to_owned(),
            ),
        ];
        for (expected, got, one, other) in cases {
            assert_eq!(apart(&expected, &got), (one, other), "{expected} {got}");
        }
    }
}
