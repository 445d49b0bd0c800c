//! Items ready to send: examples with their scratch directories filled in.

use crate::config::Example;
use crate::vocabulary::Vocabulary;
use stickler_transcript::{Bytes, Declared, Fate, Item, Provenance, Value, Variation};

/// The scratch space as the subject sees it.
pub const SCRATCH: &str = "/tmp/stickler";

/// The scratch directory of an instance: `{dir}` for the first, `{dir}2` for the second.
pub fn scratch_dir(instance: usize) -> String {
    match instance {
        0 => format!("{SCRATCH}/dir"),
        n => format!("{SCRATCH}/dir{}", n + 1),
    }
}

/// An item with everything filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// What the case records about it.
    pub info: Item,
    /// Its kind, in the words of its dialect.
    pub kind: String,
    /// The device on which it lives.
    pub target: Option<String>,
    /// The fields that identify the item; the first one is the usual one.
    pub identity: Vec<(Vec<u8>, Value)>,
    /// The values that the item demands.
    pub attributes: Vec<(Vec<u8>, Value)>,
    /// Commands that prepare the scratch directory.
    pub setup: Vec<Vec<Bytes>>,
    /// What holds once it is brought about.
    pub holds: Vec<Holds>,
    /// Who could send it.
    pub provenance: Provenance,
    /// Are characters beyond ASCII sent as escapes, if the wire has escapes?
    pub ascii: bool,
    /// Must the subject only say what it would change, and change nothing?
    pub dry: bool,
    /// The dialect's word for an outcome without change, if it has one.
    unchanged: Option<&'static str>,
    /// Does the example from which it was made stay as it is, once it is brought about?
    converges: bool,
}

/// What an author declares to hold once an item is brought about, filled in.
#[derive(Clone, Debug, PartialEq)]
pub enum Holds {
    /// Something is at a path, or nothing is.
    Path(Declared),
    /// A command succeeds.
    Command(Vec<Bytes>),
}

impl Instance {
    /// Fills in an example; `instance` chooses the scratch directory.
    pub fn of(
        example: &Example,
        label: &str,
        usual_kind: &str,
        words: &Vocabulary,
        instance: usize,
    ) -> Self {
        let dir = scratch_dir(instance);
        let fields = |fields: &[(String, Value)]| {
            let fields = fields.iter();
            fields
                .map(|(name, value)| (name.clone().into_bytes(), fill_value(value, &dir)))
                .collect()
        };
        Instance {
            info: Item {
                label: label.into(),
                example: example.name.clone(),
                original: true,
                expect: example.expect.clone(),
                classes: example.classes.clone(),
                ..Item::default()
            },
            kind: example
                .kind
                .clone()
                .unwrap_or_else(|| usual_kind.to_owned()),
            target: example.target.clone(),
            identity: fields(&example.identity),
            attributes: fields(&example.attributes),
            setup: fill_commands(&example.setup, &dir),
            holds: holds(example, &dir),
            provenance: Provenance::Agent,
            ascii: false,
            dry: false,
            unchanged: words.outcome(Fate::Unchanged),
            converges: true,
        }
    }

    /// An item without attributes, which no example describes.
    pub fn bare(label: &str, kind: &str, name: &str) -> Self {
        Instance {
            info: Item {
                label: label.into(),
                ..Item::default()
            },
            kind: kind.to_owned(),
            target: None,
            identity: vec![(b"name".to_vec(), Value::text(name))],
            attributes: Vec::new(),
            setup: Vec::new(),
            holds: Vec::new(),
            provenance: Provenance::Agent,
            ascii: false,
            dry: false,
            unchanged: None,
            converges: true,
        }
    }

    /// The same item once more, under a label of its own.
    pub fn twin(&self, suffix: &str) -> Self {
        let mut twin = self.clone();
        twin.info.label = format!("{}.{suffix}", self.info.label).into();
        twin.info.original = false;
        twin
    }

    /// A changed copy. Rules read `variation` and `field`; people read `words`.
    pub fn variant(&self, kind: Variation, field: &str, suffix: &str, words: String) -> Self {
        let mut copy = self.clone();
        copy.info.label = format!("{}~{kind}:{field}{suffix}", self.info.label).into();
        copy.info.original = false;
        copy.expect_nothing();
        copy.holds.clear();
        copy.info.variation = Some(kind);
        copy.info.field = Some(field.to_owned());
        // A probe has no example whose name says what was changed.
        copy.info.description = Some(match &self.info.description {
            Some(own) if self.info.example.is_empty() => format!("{own}, {words}"),
            _ => words,
        });
        copy
    }

    /// A changed copy without attributes.
    pub fn without_attributes(&self, kind: Variation, suffix: &str, words: &str) -> Self {
        let mut copy = self.variant(kind, "attributes", suffix, words.to_owned());
        copy.attributes.clear();
        copy
    }

    /// A copy for which the subject only says what it would change.
    pub fn looked_at(&self) -> Self {
        Instance {
            dry: true,
            ..self.clone()
        }
    }

    /// The name of the field that identifies the item.
    pub fn name_field(&self) -> String {
        let first = self.identity.first();
        first.map_or_else(String::new, |(name, _)| {
            String::from_utf8_lossy(name).into_owned()
        })
    }

    /// The text of that field.
    pub fn name(&self) -> &[u8] {
        let first = self.identity.first();
        first
            .and_then(|(_, value)| value.as_text())
            .unwrap_or_default()
    }

    /// Sets the text of that field.
    pub fn set_name(&mut self, text: impl Into<Vec<u8>>) {
        if let Some((_, value)) = self.identity.first_mut() {
            *value = Value::Text(text.into());
        }
    }

    /// The names of those identifying fields that hold text.
    pub fn identity_fields(&self) -> Vec<String> {
        let texts = self
            .identity
            .iter()
            .filter(|(_, value)| value.as_text().is_some());
        texts
            .map(|(name, _)| String::from_utf8_lossy(name).into_owned())
            .collect()
    }

    /// Does this field identify the item?
    pub fn is_identity(&self, field: &str) -> bool {
        let mut fields = self.identity.iter();
        fields.any(|(name, _)| name == field.as_bytes())
    }

    /// A changed copy whose attributes stay as they are.
    pub fn altered(&self, kind: Variation, suffix: &str, words: String) -> Self {
        self.variant(kind, &self.name_field(), suffix, words)
    }

    /// Sets a field.
    pub fn set(&mut self, field: &str, value: Value) {
        match self.value_mut(field) {
            Some(old) => *old = value,
            None => self.attributes.push((field.as_bytes().to_vec(), value)),
        }
    }

    /// Takes an attribute out.
    pub fn remove(&mut self, field: &str) {
        self.attributes.retain(|(name, _)| name != field.as_bytes());
    }

    /// The first field, identity before attributes, that names a path in the scratch directory, and
    /// that path. Usually this is the file that the item is about.
    pub fn own_path(&self) -> Option<(String, &[u8])> {
        let root = format!("{}/", scratch_dir(0));
        let mut fields = self.text_fields();
        fields.insert(0, self.name_field());
        fields.into_iter().find_map(|field| {
            let path = self.text(&field)?;
            path.starts_with(root.as_bytes()).then_some((field, path))
        })
    }

    /// A command that copies what the setup put at a field's path in the scratch directory to the
    /// paths that variants name in the same field. `None` if there are no such paths.
    pub fn lays_out<'v>(
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

    /// The file that the item is about: the one at its name, else one whose file name occurs in the
    /// item, else the first that it made.
    pub fn file_among<'f>(&self, made: &[&'f [u8]]) -> &'f [u8] {
        let is_named = |path: &&&[u8]| {
            let name = path.rsplit(|byte| *byte == b'/').next();
            let mut fields = self.text_fields().into_iter();
            let in_field =
                |field: String| name.is_some_and(|name| self.words(&field).contains(&name));
            self.name().ends_with(name.unwrap_or(path)) || fields.any(in_field)
        };
        made.iter()
            .find(|path| **path == self.name())
            .or(made.iter().find(is_named))
            .or(made.first())
            .copied()
            .unwrap_or_default()
    }

    /// Forgets the outcomes that the author declares: they are those of the example as it is.
    pub(crate) fn expect_nothing(&mut self) {
        self.converges = self.stays_kept();
        self.info.expect.clear();
        self.info.classes.clear();
    }

    /// Does the author expect that the second evaluation has nothing to do, or say nothing about
    /// it?
    pub fn stays_kept(&self) -> bool {
        let expect = &self.info.expect;
        let second = expect.get(1).or(expect.last());
        self.converges && second.is_none_or(|outcome| Some(&outcome[..]) == self.unchanged)
    }

    /// The value of a field.
    pub fn value(&self, field: &str) -> Option<&Value> {
        let mut fields = self.identity.iter().chain(&self.attributes);
        let (_, value) = fields.find(|(name, _)| name == field.as_bytes())?;
        Some(value)
    }

    fn value_mut(&mut self, field: &str) -> Option<&mut Value> {
        let mut fields = self.identity.iter_mut().chain(&mut self.attributes);
        let (_, value) = fields.find(|(name, _)| name == field.as_bytes())?;
        Some(value)
    }

    /// The text of a field.
    pub fn text(&self, field: &str) -> Option<&[u8]> {
        self.value(field).and_then(Value::as_text)
    }

    /// All texts and names of members in a field.
    pub fn words(&self, field: &str) -> Vec<&[u8]> {
        self.value(field).map_or_else(Vec::new, Value::words)
    }

    /// Replaces one of a field's words by another text, wherever it occurs in the field.
    pub fn rename(&mut self, field: &str, from: &[u8], to: &[u8]) {
        if let Some(value) = self.value_mut(field) {
            rename(value, from, to);
        }
    }

    /// The text of a field, or the first text in its list or object.
    pub fn leaf(&self, field: &str) -> Option<&[u8]> {
        self.text(field)
            .or_else(|| self.leaves(field).first().copied())
    }

    /// The names of the other members of the object that holds [`Instance::leaf`].
    pub fn siblings_of_leaf(&self, field: &str) -> Vec<String> {
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
    pub fn leaves(&self, field: &str) -> Vec<&[u8]> {
        self.value(field).map_or_else(Vec::new, Value::texts)
    }

    /// Sets what [`Instance::leaf`] returns.
    pub fn set_leaf(&mut self, field: &str, text: Vec<u8>) {
        match self.value_mut(field).and_then(first_text_mut) {
            Some(leaf) => *leaf = Value::Text(text),
            None => self.set(field, Value::Text(text)),
        }
    }

    /// The names of attributes that contain text. Those whose value is a text come first.
    pub fn leaf_fields(&self) -> Vec<String> {
        let mut fields = self.text_fields();
        let containers = self
            .attributes
            .iter()
            .filter(|(_, value)| value.as_text().is_none() && !value.texts().is_empty());
        fields.extend(containers.map(|(name, _)| String::from_utf8_lossy(name).into_owned()));
        fields
    }

    /// The name of a member in a field; a name with a dot is preferred.
    pub fn member_name(&self, field: &str) -> Option<&[u8]> {
        let Value::Object(members) = self.value(field)? else {
            return None;
        };
        let mut names = members.iter().map(|(name, _)| &name[..]);
        let dotted = names.clone().find(|name| name.contains(&b'.'));
        dotted.or_else(|| names.next())
    }

    /// Appends an item to a list. False if the field is no list.
    pub fn append(&mut self, field: &str, item: Value) -> bool {
        let Some(Value::List(items)) = self.value_mut(field) else {
            return false;
        };
        items.push(item);
        true
    }

    /// Names of attributes whose value is a list or an object.
    pub fn container_fields(&self) -> Vec<String> {
        self.attributes
            .iter()
            .filter(|(_, value)| matches!(value, Value::List(_) | Value::Object(_)))
            .map(|(name, _)| String::from_utf8_lossy(name).into_owned())
            .collect()
    }

    /// Names of attributes whose value is text.
    pub fn text_fields(&self) -> Vec<String> {
        self.attributes
            .iter()
            .filter(|(_, value)| value.as_text().is_some())
            .map(|(name, _)| String::from_utf8_lossy(name).into_owned())
            .collect()
    }
}

/// The first text in a value.
pub fn first_text_mut(value: &mut Value) -> Option<&mut Value> {
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
pub fn fill(text: &str, dir: &str) -> String {
    text.split("{{dir}}")
        .map(|part| part.replace("{dir}", dir))
        .collect::<Vec<_>>()
        .join("{dir}")
}

/// Fills in `{dir}` in all words of commands.
pub fn fill_commands(commands: &[Vec<String>], dir: &str) -> Vec<Vec<Bytes>> {
    let filled = |word: &String| Bytes::from(fill(word, dir));
    let commands = commands.iter();
    commands
        .map(|words| words.iter().map(filled).collect())
        .collect()
}

/// What an example declares to hold, filled in.
fn holds(example: &Example, dir: &str) -> Vec<Holds> {
    let text = |text: &str| Bytes::from(fill(text, dir));
    // No one else can give a file to another user.
    let gives = rustix::process::geteuid().is_root();
    let created = example.creates.iter().map(|created| Declared::Creates {
        path: text(&created.path),
        kind: created.kind,
        mode: created.mode,
        owner: created.owner.clone().filter(|_| gives),
        group: created.group.clone().filter(|_| gives),
        content: created.content.as_deref().map(text),
    });
    let absent = example
        .absent
        .iter()
        .map(|path| Declared::Absent { path: text(path) });
    let commands = fill_commands(&example.verify, dir).into_iter();
    let paths = created.chain(absent).map(Holds::Path);
    paths.chain(commands.map(Holds::Command)).collect()
}

/// Fills in `{dir}` in all texts of a value.
pub fn fill_value(value: &Value, dir: &str) -> Value {
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
