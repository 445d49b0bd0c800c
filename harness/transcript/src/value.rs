//! Values of an item's fields.

/// A value as agents send it: the types of JSON, with bytes for text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A text with any bytes: agents do send invalid UTF-8. A lone surrogate is stored as WTF-8.
    Text(Vec<u8>),
    /// A list.
    List(Vec<Value>),
    /// Named members in order; names may occur twice.
    Object(Vec<(Vec<u8>, Value)>),
    /// A number as it is written.
    Number(String),
    /// `true` or `false`.
    Bool(bool),
    /// `null`.
    Null,
}

impl Value {
    /// A text.
    pub fn text(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Text(bytes.into())
    }

    /// The bytes of a text; `None` for any other type.
    pub fn as_text(&self) -> Option<&[u8]> {
        match self {
            Self::Text(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// All texts in it, in order: itself, or those in a list or an object.
    pub fn texts(&self) -> Vec<&[u8]> {
        let mut texts = Vec::new();
        self.gather(false, &mut texts);
        texts
    }

    /// Like [`Value::texts`], with the names of members before their values.
    pub fn words(&self) -> Vec<&[u8]> {
        let mut words = Vec::new();
        self.gather(true, &mut words);
        words
    }

    fn gather<'v>(&'v self, names: bool, out: &mut Vec<&'v [u8]>) {
        match self {
            Self::Text(text) => out.push(text),
            Self::List(items) => items.iter().for_each(|item| item.gather(names, out)),
            Self::Object(members) => members.iter().for_each(|(name, value)| {
                if names {
                    out.push(name);
                }
                value.gather(names, out);
            }),
            Self::Number(_) | Self::Bool(_) | Self::Null => {}
        }
    }

    /// The type in words for messages, with its article.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
            Self::Number(_) => "a number",
            Self::Bool(_) => "a boolean",
            Self::Null => "null",
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_at_any_depth_and_words_are_they_and_the_names() {
        let list = Value::List(vec![Value::text("a"), Value::Null, Value::text("b")]);
        let value = Value::Object(vec![
            (b"one".to_vec(), list),
            (b"two".to_vec(), Value::Bool(true)),
        ]);
        assert_eq!(value.texts(), [b"a", b"b"]);
        assert_eq!(value.words(), [&b"one"[..], b"a", b"b", b"two"]);
        assert_eq!(Value::text("alone").texts(), [b"alone"]);
    }
}
