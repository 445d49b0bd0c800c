//! Inputs hold placeholders where the author's items hold secrets, so that no file of a campaign holds one.

use crate::input::{Input, InputItem, InputStep};
use std::borrow::Cow;
use stickler_suite::{MASK, Redactor, replaced};
use stickler_transcript::{Bytes, Value};

/// The secrets of a subject, each with the placeholder that stands for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets {
    pairs: Vec<(Vec<u8>, Vec<u8>)>,
}

impl From<&Redactor> for Secrets {
    fn from(redactor: &Redactor) -> Self {
        let secrets = redactor.secrets().iter().enumerate();
        // No placeholder is a part of another one.
        let pairs = secrets.map(|(at, secret)| (format!("{MASK}({at})").into(), secret.clone()));
        Secrets {
            pairs: pairs.collect(),
        }
    }
}

impl Secrets {
    /// Puts placeholders into bytes.
    pub(crate) fn hidden<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let pairs = self.pairs.iter();
        pairs.fold(Cow::Borrowed(bytes), |bytes, (placeholder, secret)| {
            replaced(bytes, secret, placeholder)
        })
    }

    /// Takes placeholders out of bytes.
    pub(crate) fn filled<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let pairs = self.pairs.iter();
        pairs.fold(Cow::Borrowed(bytes), |bytes, (placeholder, secret)| {
            replaced(bytes, placeholder, secret)
        })
    }

    /// Puts placeholders into an item.
    pub(crate) fn hide_item(&self, item: &mut InputItem) {
        if !self.pairs.is_empty() {
            for (_, value) in item.fields_mut() {
                self.hide(value);
            }
        }
    }

    /// Puts placeholders into an input.
    pub(crate) fn hide_input(&self, input: &mut Input) {
        if self.pairs.is_empty() {
            return;
        }
        for step in &mut input.steps {
            match step {
                InputStep::Ask(ask) => self.hide_item(&mut ask.item),
                InputStep::Deed { item, .. } => self.hide_item(item),
                InputStep::Raw { bytes } => *bytes = self.hidden(bytes).into_owned().into(),
                _ => {}
            }
        }
    }

    /// Puts placeholders into a value.
    pub(crate) fn hide(&self, value: &mut Value) {
        each_leaf(value, &|leaf| match leaf {
            Value::Text(text) => *text = self.hidden(text).into_owned(),
            // The placeholder alone would be a text.
            Value::Number(number) => {
                let mut pairs = self.pairs.iter();
                let known = pairs.find(|(_, secret)| **secret == *number.as_bytes());
                if let Some((placeholder, _)) = known {
                    *leaf = Value::Text([NUMBER, placeholder].concat());
                }
            }
            _ => {}
        });
    }

    /// Takes placeholders out of fields.
    pub(crate) fn fill(&self, fields: &[(Bytes, Value)]) -> Vec<(Vec<u8>, Value)> {
        let fields = fields.iter();
        let filled = fields.map(|(name, value)| {
            let mut value = value.clone();
            if !self.pairs.is_empty() {
                self.reveal(&mut value);
            }
            (name.to_vec(), value)
        });
        filled.collect()
    }

    fn reveal(&self, value: &mut Value) {
        each_leaf(value, &|leaf| {
            if let Value::Text(text) = leaf {
                let number = text.strip_prefix(NUMBER).and_then(|placeholder| {
                    let mut pairs = self.pairs.iter();
                    let (_, secret) = pairs.find(|(known, _)| known == placeholder)?;
                    String::from_utf8(secret.clone()).ok()
                });
                match number {
                    Some(number) => *leaf = Value::Number(number),
                    None => *text = self.filled(text).into_owned(),
                }
            }
        });
    }
}

/// Changes each value that holds no others.
fn each_leaf(value: &mut Value, change: &dyn Fn(&mut Value)) {
    match value {
        Value::List(items) => items.iter_mut().for_each(|item| each_leaf(item, change)),
        Value::Object(members) => members.iter_mut().for_each(|(_, it)| each_leaf(it, change)),
        leaf => change(leaf),
    }
}

/// What comes before the placeholder of a number.
const NUMBER: &[u8] = b"number ";

#[cfg(test)]
mod tests {
    use super::*;
    use stickler_suite::config::{Config, Example};

    #[test]
    fn an_item_is_whole_again_and_its_hidden_form_holds_no_secret() {
        let attributes = vec![
            ("token".to_owned(), Value::text("hunter22")),
            ("api_key".to_owned(), Value::Number("12345678".into())),
            (
                "password".to_owned(),
                Value::List(vec![Value::text("a \"quoted\" one"), Value::Null]),
            ),
        ];
        let config = Config {
            examples: vec![Example {
                attributes: attributes.clone(),
                ..Example::default()
            }],
            ..Config::default()
        };
        let secrets = Secrets::from(&Redactor::of(&config));
        let whole: Vec<(Vec<u8>, Value)> = attributes
            .into_iter()
            .chain([(
                "url".to_owned(),
                Value::text("http://hunter22@localhost/hunter22"),
            )])
            .map(|(name, value)| (name.into_bytes(), value))
            .collect();
        let mut item = InputItem {
            attributes: whole
                .iter()
                .map(|(name, value)| (name[..].into(), value.clone()))
                .collect(),
            ..InputItem::default()
        };
        secrets.hide_item(&mut item);
        let stored = serde_json::to_string(&item).expect("JSON");
        for secret in ["hunter22", "12345678", "quoted"] {
            assert!(!stored.contains(secret), "{stored}");
        }
        assert_eq!(secrets.fill(&item.attributes), whole);
        // What was added to a secret stays.
        item.attributes[0].1 =
            Value::Text([item.attributes[0].1.as_text().expect("a text"), b"!"].concat());
        assert_eq!(
            secrets.fill(&item.attributes)[0].1,
            Value::text("hunter22!")
        );
    }
}
