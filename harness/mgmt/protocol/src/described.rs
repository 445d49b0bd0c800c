//! What a host tells about a kind of resources.

use crate::message::text;
use std::ops::Deref;
use stickler_json::Json;

/// A kind as its host describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// The kind.
    pub kind: String,
    /// The Go type.
    pub type_name: String,
    /// Does it embed the traits' base?
    pub base: bool,
    /// The names of its traits.
    pub traits: Vec<String>,
    /// The names of its optional methods.
    pub methods: Vec<String>,
    /// The file in which its `CheckApply` is.
    pub source: Option<String>,
    /// Its public fields, in the order of the struct.
    pub fields: Vec<Field>,
    /// The Go type of what it says that it sends.
    pub sends: Option<String>,
}

/// A Go type, with what it holds. What holds itself is not followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// The type as Go writes it.
    pub type_name: String,
    /// The kind of the type: `string`, `slice`, …
    pub kind: String,
    /// What a pointer leads to, and what is in a list or a map.
    pub elem: Option<Box<Shape>>,
    /// The keys of a map.
    pub key: Option<Box<Shape>>,
    /// How many items an array has.
    pub length: Option<usize>,
    /// The public fields of a struct.
    pub members: Option<Vec<Field>>,
    /// Is it an interface without methods? Any value fits then.
    pub any: bool,
}

/// A public field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// Go's name.
    pub name: String,
    /// The tag `lang`.
    pub lang: Option<String>,
    /// The tag `yaml`, without options.
    pub yaml: Option<String>,
    /// Its type.
    pub shape: Shape,
    /// The name by which a host finds it, if its tag is that of another field.
    reached_by: Option<String>,
}

impl Deref for Field {
    type Target = Shape;
    fn deref(&self) -> &Shape {
        &self.shape
    }
}

impl Field {
    /// The tags that can name it, that of the language first.
    fn tags(&self) -> [Option<&str>; 2] {
        let usable = |tag: &str| !tag.is_empty() && tag != "-";
        [&self.lang, &self.yaml].map(|tag| tag.as_deref().filter(|tag| usable(tag)))
    }

    /// The name by which it is set: that of the language, of YAML, or Go's.
    pub fn key(&self) -> &str {
        let tag = self.tags().into_iter().flatten().next();
        let own = self.reached_by.as_deref().or(tag);
        own.unwrap_or(&self.name)
    }
}

/// The field that a host finds by a name, among those of a struct: by the tag of the language, by that of YAML, by Go's
/// name. Of two with one tag, it finds the first.
pub fn reached<'f>(fields: &'f [Field], name: &str) -> Option<&'f Field> {
    let by = |at: usize| fields.iter().find(|field| field.tags()[at] == Some(name));
    let by_name = || fields.iter().find(|field| field.name == name);
    by(0).or_else(|| by(1)).or_else(by_name)
}

/// Those fields of a struct that have the tag of another one, each with that tag and that field. No frontend finds them
/// by it.
pub fn shadowed(fields: &[Field]) -> Vec<(&Field, &str, &Field)> {
    let mut found = Vec::new();
    for (at, field) in fields.iter().enumerate() {
        for (kind, tag) in field.tags().into_iter().enumerate() {
            let mut before = fields[..at].iter();
            let first = before.find(|one| tag.is_some() && one.tags()[kind] == tag);
            if let (Some(tag), Some(first)) = (tag, first) {
                found.push((field, tag, first));
            }
        }
    }
    found
}

impl Described {
    /// Reads the result of `describe`. What is missing counts as empty.
    pub fn read(result: &Json) -> Self {
        Described {
            kind: member(result, "kind").unwrap_or_default(),
            type_name: member(result, "type").unwrap_or_default(),
            base: result.get("base") == Some(&Json::Bool(true)),
            traits: texts(result, "traits"),
            methods: texts(result, "methods"),
            source: member(result, "file").filter(|file| !file.is_empty()),
            fields: fields(result, "fields"),
            sends: result.get("sends").and_then(|sends| member(sends, "type")),
        }
    }

    /// The field that a host finds by this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        reached(&self.fields, name)
    }

    /// Has it this trait?
    pub fn has_trait(&self, name: &str) -> bool {
        self.traits.iter().any(|own| own == name)
    }

    /// Has it this optional method?
    pub fn has_method(&self, name: &str) -> bool {
        self.methods.iter().any(|own| own == name)
    }
}

fn fields(json: &Json, key: &str) -> Vec<Field> {
    let mut fields: Vec<Field> = items(json, key).iter().map(field).collect();
    let names: Vec<Option<String>> = fields
        .iter()
        .map(|own| {
            let mut names = own.tags().into_iter().flatten().chain([&*own.name]);
            let finds_it = |name: &&str| reached(&fields, name).is_some_and(|one| one == own);
            names.find(finds_it).map(str::to_owned)
        })
        .collect();
    for (field, name) in fields.iter_mut().zip(names) {
        field.reached_by = name;
    }
    fields
}

fn field(json: &Json) -> Field {
    let tag = |key: &str| {
        member(json, key).map(|tag| tag.split(',').next().unwrap_or_default().to_owned())
    };
    Field {
        name: member(json, "name").unwrap_or_default(),
        lang: tag("lang"),
        yaml: tag("yaml"),
        shape: shape(json),
        reached_by: None,
    }
}

fn shape(json: &Json) -> Shape {
    let inner = |key: &str| json.get(key).map(|inner| Box::new(shape(inner)));
    let length = match json.get("length") {
        Some(Json::Number(length)) => length.parse().ok(),
        _ => None,
    };
    Shape {
        type_name: member(json, "type").unwrap_or_default(),
        kind: member(json, "kind").unwrap_or_default(),
        elem: inner("elem"),
        key: inner("key"),
        length,
        members: json.get("fields").map(|_| fields(json, "fields")),
        any: json.get("any") == Some(&Json::Bool(true)),
    }
}

fn member(json: &Json, key: &str) -> Option<String> {
    text(json.get(key)?)
}

fn items<'j>(json: &'j Json, key: &str) -> &'j [Json] {
    match json.get(key) {
        Some(Json::Array(items)) => items,
        _ => &[],
    }
}

fn texts(json: &Json, key: &str) -> Vec<String> {
    items(json, key).iter().filter_map(text).collect()
}
