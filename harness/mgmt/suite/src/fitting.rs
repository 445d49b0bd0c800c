//! Values of a description that do not fit the Go types of their fields: the host would refuse them, and nothing would
//! be tested.

use crate::shown::Shown;
use mgmt_protocol::Field;
use stickler_suite::config::{Config, Example};
use stickler_transcript::Value;

/// The first value of the wrong type in a description, and how to write it. `None` as long as the kinds are unknown.
pub(crate) fn misfit(config: &Config, shown: &Shown) -> Option<String> {
    let mut described = config.examples.iter().chain(&config.invalid);
    described.find_map(|example| {
        let kind = example.kind.as_ref().or(config.subject.kinds.first())?;
        let fields = &shown.kind(kind)?.fields;
        example.attributes.iter().find_map(|(name, value)| {
            let field = fields.iter().find(|field| field.is_called(name))?;
            let advice = advice(name, field, value)?;
            Some(refused(example, name, kind, field, &advice))
        })
    })
}

fn refused(example: &Example, name: &str, kind: &str, field: &Field, advice: &str) -> String {
    format!(
        "the example \"{}\": the field \"{name}\" of the kind {kind} is a {}; {advice}",
        example.name, field.type_name
    )
}

/// How to write a value that does not fit a field.
fn advice(name: &str, field: &Field, value: &Value) -> Option<String> {
    let integers = ["int", "uint"];
    let is_whole = integers.iter().any(|start| field.kind.starts_with(start));
    match (value, field.kind.as_str()) {
        (Value::Number(number), "string") => Some(format!(
            "write it in quotes: {name} = \"{number}\", or with octal digits, as in \"0644\""
        )),
        (Value::Text(text), _) if is_whole => {
            let text = String::from_utf8_lossy(text);
            // Large numbers are written as text, and zero has one spelling.
            let is_number = text == text.trim_start_matches('0') && text.parse::<i128>().is_ok();
            let octal = text.trim_start_matches('0');
            let is_octal = !octal.is_empty() && octal.chars().all(|digit| digit.is_digit(8));
            (!is_number && text != "0").then(|| match is_octal {
                true => format!("write octal digits as a number: {name} = 0o{octal}"),
                false => format!("write a number without quotes: {name} = 1"),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::advice;
    use mgmt_protocol::Field;
    use stickler_transcript::Value;

    #[test]
    fn octal_digits_are_text_or_a_number_as_the_field_is() {
        let of = |kind: &str, value: Value| {
            let field = Field {
                kind: kind.to_owned(),
                ..Field::default()
            };
            advice("mode", &field, &value)
        };
        let text = of("string", Value::Number("644".into())).expect("advice");
        assert!(text.contains("mode = \"644\""), "{text}");
        let octal = of("uint32", Value::text("0644")).expect("advice");
        assert_eq!(octal, "write octal digits as a number: mode = 0o644");
        let word = of("int", Value::text("rw")).expect("advice");
        assert_eq!(word, "write a number without quotes: mode = 1");
        for (kind, value) in [
            ("string", Value::text("0644")),
            ("uint32", Value::Number("420".into())),
            ("uint64", Value::text("18446744073709551615")),
            ("uint64", Value::text("0")),
            ("float64", Value::text("x")),
        ] {
            assert_eq!(of(kind, value), None, "{kind}");
        }
    }
}
