//! What a host tells about a kind of resources.

use crate::message::text;
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

/// A public field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// Go's name.
    pub name: String,
    /// The type as Go writes it.
    pub type_name: String,
    /// The kind of the type: `string`, `slice`, …
    pub kind: String,
    /// The tag `lang`.
    pub lang: Option<String>,
    /// The tag `yaml`, without options.
    pub yaml: Option<String>,
}

impl Field {
    /// The name by which it is set: that of the language, of YAML, or Go's.
    pub fn key(&self) -> &str {
        let tags = [self.lang.as_deref(), self.yaml.as_deref()];
        let tag = tags
            .into_iter()
            .flatten()
            .find(|tag| !tag.is_empty() && *tag != "-");
        tag.unwrap_or(&self.name)
    }

    /// Is this one of its names?
    pub fn is_called(&self, name: &str) -> bool {
        let tags = [self.lang.as_deref(), self.yaml.as_deref()];
        self.name == name || tags.contains(&Some(name))
    }
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
            fields: items(result, "fields").iter().map(field).collect(),
            sends: result.get("sends").and_then(|sends| member(sends, "type")),
        }
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

fn field(json: &Json) -> Field {
    let tag = |key: &str| {
        member(json, key).map(|tag| tag.split(',').next().unwrap_or_default().to_owned())
    };
    Field {
        name: member(json, "name").unwrap_or_default(),
        type_name: member(json, "type").unwrap_or_default(),
        kind: member(json, "kind").unwrap_or_default(),
        lang: tag("lang"),
        yaml: tag("yaml"),
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
