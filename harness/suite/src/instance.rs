//! Promises ready to be sent: examples with their scratch directories filled in.

use crate::config::Example;
use stickler_promise::wire::Value;
use stickler_transcript::{Bytes, Promise, Provenance};

/// The scratch space as the subject sees it.
pub const SCRATCH: &str = "/tmp/stickler";

/// The scratch directory of an instance: `{dir}` for the first, `{dir}2` for the second.
pub(crate) fn scratch_dir(instance: usize) -> String {
    match instance {
        0 => format!("{SCRATCH}/dir"),
        n => format!("{SCRATCH}/dir{}", n + 1),
    }
}

/// A promise with everything filled in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Instance {
    pub(crate) info: Promise,
    pub(crate) promise_type: String,
    pub(crate) promiser: Vec<u8>,
    pub(crate) attributes: Vec<(Vec<u8>, Value)>,
    pub(crate) setup: Vec<Vec<Bytes>>,
    pub(crate) provenance: Provenance,
    /// In JSON, characters beyond ASCII are sent as escapes.
    pub(crate) ascii: bool,
}

impl Instance {
    /// Fills in an example; `instance` chooses the scratch directory.
    pub(crate) fn of(example: &Example, label: &str, usual_type: &str, instance: usize) -> Self {
        let dir = scratch_dir(instance);
        let fill = |text: &str| Bytes::from(fill(text, &dir));
        Instance {
            info: Promise {
                label: label.to_owned(),
                example: example.name.clone(),
                original: true,
                expect: example.expect.clone(),
                ..Promise::default()
            },
            promise_type: example
                .promise_type
                .clone()
                .unwrap_or_else(|| usual_type.to_owned()),
            promiser: fill(&example.promiser).to_vec(),
            attributes: example
                .attributes
                .iter()
                .map(|(name, value)| (name.clone().into_bytes(), fill_value(value, &dir)))
                .collect(),
            setup: example
                .setup
                .iter()
                .map(|command| command.iter().map(|word| fill(word)).collect())
                .collect(),
            provenance: Provenance::Agent,
            ascii: false,
        }
    }

    /// A changed copy: `kind` and `field` are for rules, `words` for people.
    pub(crate) fn variant(&self, kind: &str, field: &str, suffix: &str, words: String) -> Self {
        let mut copy = self.clone();
        copy.info.label = format!("{}~{kind}:{field}{suffix}", self.info.label);
        copy.info.original = false;
        copy.info.expect = Vec::new();
        copy.info.kind = Some(kind.to_owned());
        copy.info.field = Some(field.to_owned());
        copy.info.variant = Some(words);
        copy
    }

    /// Sets an attribute, or the promiser.
    pub(crate) fn set(&mut self, field: &str, value: Value) {
        if field == "promiser" {
            if let Value::Text(text) = value {
                self.promiser = text;
            }
            return;
        }
        match self
            .attributes
            .iter_mut()
            .find(|(name, _)| name == field.as_bytes())
        {
            Some((_, old)) => *old = value,
            None => self.attributes.push((field.as_bytes().to_vec(), value)),
        }
    }

    /// Does the author expect `kept` after the first evaluation, or nothing at all?
    pub(crate) fn stays_kept(&self) -> bool {
        let expect = &self.info.expect;
        let second = expect.get(1).or(expect.last());
        second.is_none_or(|outcome| outcome == "kept")
    }

    /// The text of an attribute or of the promiser.
    pub(crate) fn text(&self, field: &str) -> Option<&[u8]> {
        if field == "promiser" {
            return Some(&self.promiser);
        }
        self.attributes
            .iter()
            .find(|(name, _)| name == field.as_bytes())
            .and_then(|(_, value)| value.as_text())
    }

    /// Names of attributes whose value is text.
    pub(crate) fn text_fields(&self) -> Vec<String> {
        self.attributes
            .iter()
            .filter(|(_, value)| value.as_text().is_some())
            .map(|(name, _)| String::from_utf8_lossy(name).into_owned())
            .collect()
    }
}

/// Replaces `{dir}` with the directory; `{{dir}}` is a literal `{dir}`.
pub(crate) fn fill(text: &str, dir: &str) -> String {
    text.split("{{dir}}")
        .map(|part| part.replace("{dir}", dir))
        .collect::<Vec<_>>()
        .join("{dir}")
}

pub(crate) fn fill_value(value: &Value, dir: &str) -> Value {
    let fill_bytes = |bytes: &[u8]| match std::str::from_utf8(bytes) {
        Ok(text) => fill(text, dir).into_bytes(),
        Err(_) => bytes.to_vec(),
    };
    match value {
        Value::Text(text) => Value::Text(fill_bytes(text)),
        Value::List(items) => Value::List(items.iter().map(|v| fill_value(v, dir)).collect()),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), fill_value(value, dir)))
                .collect(),
        ),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn braces_twice_are_literal() {
        assert_eq!(fill("{dir}/a {{dir}} {dir}", "/x"), "/x/a {dir} /x");
    }
}
