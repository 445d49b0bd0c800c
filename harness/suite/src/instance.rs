//! Promises ready to be sent: examples with their scratch directories filled in.

use crate::config::Example;
use cfengine_protocol::wire::Value;
use stickler_transcript::{Bytes, Item, Provenance, Variation};

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
    pub(crate) info: Item,
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
            info: Item {
                label: label.into(),
                example: example.name.clone(),
                original: true,
                expect: example.expect.clone(),
                ..Item::default()
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

    /// A changed copy: `variation` and `field` are for rules, `words` for people.
    pub(crate) fn variant(
        &self,
        kind: Variation,
        field: &str,
        suffix: &str,
        words: String,
    ) -> Self {
        let mut copy = self.clone();
        copy.info.label = format!("{}~{kind}:{field}{suffix}", self.info.label).into();
        copy.info.original = false;
        copy.info.expect = Vec::new();
        copy.info.variation = Some(kind);
        copy.info.field = Some(field.to_owned());
        copy.info.description = Some(words);
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
        match self.value_mut(field) {
            Some(old) => *old = value,
            None => self.attributes.push((field.as_bytes().to_vec(), value)),
        }
    }

    /// The field that names a path in the scratch directory, the promiser before attributes,
    /// and that path: mostly the file that the promise is about.
    pub(crate) fn own_path(&self) -> Option<(String, &[u8])> {
        let root = format!("{}/", scratch_dir(0));
        let mut fields = self.text_fields();
        fields.insert(0, "promiser".to_owned());
        fields.into_iter().find_map(|field| {
            let path = self.text(&field)?;
            path.starts_with(root.as_bytes()).then_some((field, path))
        })
    }

    /// A command that copies what the setup laid out in the scratch directory, at a path that
    /// a field names, to the other paths that variants name there. `None` where there are none.
    pub(crate) fn lays_out<'v>(
        &self,
        variants: impl IntoIterator<Item = &'v Instance>,
    ) -> Option<Vec<Bytes>> {
        const SCRIPT: &str = "while [ $# -gt 1 ]; do \
             [ ! -e \"$1\" ] && [ ! -L \"$1\" ] || cp -a -- \"$1\" \"$2\" 2>/dev/null; shift 2; done";
        let root = format!("{}/", scratch_dir(0));
        let pairs = variants.into_iter().filter_map(|variant| {
            let field = variant.info.field.as_deref()?;
            let (from, to) = (self.text(field)?, variant.text(field)?);
            let is_ours = |path: &[u8]| path.starts_with(root.as_bytes()) && !path.contains(&0);
            (from != to && is_ours(from) && is_ours(to)).then_some([from, to])
        });
        let mut command = ["sh", "-c", SCRIPT, "sh"].map(Bytes::from).to_vec();
        let bare = command.len();
        command.extend(pairs.flatten().map(Bytes::from));
        (!self.setup.is_empty() && command.len() > bare).then_some(command)
    }

    /// The file that a promise is about: its promiser, one that has a name of the promise's, or
    /// the first that it made.
    pub(crate) fn file_among<'f>(&self, made: &[&'f [u8]]) -> &'f [u8] {
        let is_named = |path: &&&[u8]| {
            let name = path.rsplit(|byte| *byte == b'/').next();
            let mut fields = self.text_fields().into_iter();
            let in_field =
                |field: String| name.is_some_and(|name| self.words(&field).contains(&name));
            self.promiser.ends_with(name.unwrap_or(path)) || fields.any(in_field)
        };
        made.iter()
            .find(|path| **path == self.promiser)
            .or(made.iter().find(is_named))
            .or(made.first())
            .copied()
            .unwrap_or_default()
    }

    /// Does the author expect `kept` after the first evaluation, or nothing at all?
    pub(crate) fn stays_kept(&self) -> bool {
        let expect = &self.info.expect;
        let second = expect.get(1).or(expect.last());
        second.is_none_or(|outcome| outcome == "kept")
    }

    fn value(&self, field: &str) -> Option<&Value> {
        let mut attributes = self.attributes.iter();
        let (_, value) = attributes.find(|(name, _)| name == field.as_bytes())?;
        Some(value)
    }

    fn value_mut(&mut self, field: &str) -> Option<&mut Value> {
        let mut attributes = self.attributes.iter_mut();
        let (_, value) = attributes.find(|(name, _)| name == field.as_bytes())?;
        Some(value)
    }

    /// The text of an attribute or of the promiser.
    pub(crate) fn text(&self, field: &str) -> Option<&[u8]> {
        if field == "promiser" {
            return Some(&self.promiser);
        }
        self.value(field).and_then(Value::as_text)
    }

    /// All texts and names of members in a field.
    pub(crate) fn words(&self, field: &str) -> Vec<&[u8]> {
        if field == "promiser" {
            return vec![&self.promiser];
        }
        self.value(field).map_or_else(Vec::new, Value::words)
    }

    /// Puts another text in the place of one of a field's words, wherever it stands there.
    pub(crate) fn rename(&mut self, field: &str, from: &[u8], to: &[u8]) {
        if field == "promiser" {
            self.promiser = to.to_vec();
            return;
        }
        if let Some(value) = self.value_mut(field) {
            rename(value, from, to);
        }
    }

    /// The text of a field, or the first one in its list or object.
    pub(crate) fn leaf(&self, field: &str) -> Option<&[u8]> {
        self.text(field)
            .or_else(|| self.leaves(field).first().copied())
    }

    /// The names of the other members of the object that [`Instance::leaf`] stands in.
    pub(crate) fn siblings_of_leaf(&self, field: &str) -> Vec<String> {
        let mut names = Vec::new();
        let mut value = self.value(field);
        while let Some(Value::Object(members)) = value {
            let at = members.iter().position(|(_, it)| !it.texts().is_empty());
            let others = members
                .iter()
                .enumerate()
                .filter(|(index, _)| Some(*index) != at);
            names = others
                .map(|(_, (name, _))| String::from_utf8_lossy(name).into_owned())
                .collect();
            value = at.map(|at| &members[at].1);
        }
        names
    }

    /// All texts of a field.
    pub(crate) fn leaves(&self, field: &str) -> Vec<&[u8]> {
        self.value(field).map_or_else(Vec::new, Value::texts)
    }

    /// Sets what [`Instance::leaf`] returns.
    pub(crate) fn set_leaf(&mut self, field: &str, text: Vec<u8>) {
        match self.value_mut(field).and_then(first_text_mut) {
            Some(leaf) => *leaf = Value::Text(text),
            None => self.set(field, Value::Text(text)),
        }
    }

    /// Names of attributes that hold text, those first whose value is one.
    pub(crate) fn leaf_fields(&self) -> Vec<String> {
        let mut fields = self.text_fields();
        let containers = self
            .attributes
            .iter()
            .filter(|(_, value)| value.as_text().is_none() && !value.texts().is_empty());
        fields.extend(containers.map(|(name, _)| String::from_utf8_lossy(name).into_owned()));
        fields
    }

    /// The name of a member in a field, one with a dot if there is such.
    pub(crate) fn name(&self, field: &str) -> Option<&[u8]> {
        let Value::Object(members) = self.value(field)? else {
            return None;
        };
        let mut names = members.iter().map(|(name, _)| &name[..]);
        let dotted = names.clone().find(|name| name.contains(&b'.'));
        dotted.or_else(|| names.next())
    }

    /// Appends an item to a list. False where the field is none.
    pub(crate) fn append(&mut self, field: &str, item: Value) -> bool {
        let Some(Value::List(items)) = self.value_mut(field) else {
            return false;
        };
        items.push(item);
        true
    }

    /// Names of attributes whose value is a list or an object.
    pub(crate) fn container_fields(&self) -> Vec<String> {
        self.attributes
            .iter()
            .filter(|(_, value)| matches!(value, Value::List(_) | Value::Object(_)))
            .map(|(name, _)| String::from_utf8_lossy(name).into_owned())
            .collect()
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

/// The first text in a value.
pub(crate) fn first_text_mut(value: &mut Value) -> Option<&mut Value> {
    match value {
        Value::Text(_) => Some(value),
        Value::List(items) => items.iter_mut().find_map(first_text_mut),
        Value::Object(members) => members.iter_mut().find_map(|(_, v)| first_text_mut(v)),
        _ => None,
    }
}

fn rename(value: &mut Value, from: &[u8], to: &[u8]) {
    match value {
        Value::Text(text) if text == from => *text = to.to_vec(),
        Value::List(items) => items.iter_mut().for_each(|item| rename(item, from, to)),
        Value::Object(members) => {
            for (name, value) in members {
                if name == from {
                    *name = to.to_vec();
                }
                rename(value, from, to);
            }
        }
        _ => {}
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
