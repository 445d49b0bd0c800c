//! Values that resources send to each other, and which type takes which.

use serde_json::Value as Json;

/// A value in a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text.
    Text(String),
    /// A number.
    Number(i64),
    /// A pointer to text; `None` points nowhere.
    Pointer(Option<String>),
    /// A value of any other type, by the type's name.
    Other(String, Json),
}

impl Value {
    /// The value as a recording shows it.
    pub fn json(&self) -> Json {
        match self {
            Value::Text(text) => Json::from(text.as_str()),
            Value::Number(number) => Json::from(*number),
            Value::Pointer(text) => Json::from(text.as_deref()),
            Value::Other(_, json) => json.clone(),
        }
    }

    /// This value as a field that holds `field` takes it.
    pub fn into_field(self, field: &Value) -> Result<Value, String> {
        match (self, field) {
            (Value::Text(text), Value::Text(_)) | (Value::Pointer(Some(text)), Value::Text(_)) => {
                Ok(Value::Text(text))
            }
            (Value::Pointer(None), Value::Text(_)) => Ok(Value::Text(String::new())),
            (Value::Text(text), Value::Pointer(_)) => Ok(Value::Pointer(Some(text))),
            (Value::Pointer(text), Value::Pointer(_)) => Ok(Value::Pointer(text)),
            (Value::Number(number), Value::Number(_)) => Ok(Value::Number(number)),
            (Value::Other(name, json), Value::Other(other, _)) if name == *other => {
                Ok(Value::Other(name, json))
            }
            (value, field) => Err(format!(
                "field kind mismatch between {} and {}",
                value.word(),
                field.word()
            )),
        }
    }

    fn word(&self) -> &str {
        match self {
            Value::Text(_) | Value::Pointer(_) => "string",
            Value::Number(_) => "int64",
            Value::Other(name, _) => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn other_values_fit_fields_of_their_own_type() {
        let list = |name: &str| Value::Other(name.to_owned(), serde_json::json!(["a"]));
        assert_eq!(
            Ok(list("[]string")),
            list("[]string").into_field(&list("[]string"))
        );
        let error = "field kind mismatch between []string and []int".to_owned();
        assert_eq!(Err(error), list("[]string").into_field(&list("[]int")));
    }

    #[test]
    fn pointers_and_text_take_each_other_and_numbers_only_numbers() {
        let text = || Value::Text("x".to_owned());
        let pointer = Value::Pointer(None);
        assert_eq!(
            Ok(Value::Pointer(Some("x".to_owned()))),
            text().into_field(&pointer)
        );
        assert_eq!(Ok(Value::Text(String::new())), pointer.into_field(&text()));
        let error = "field kind mismatch between string and int64".to_owned();
        assert_eq!(Err(error), text().into_field(&Value::Number(1)));
    }
}
