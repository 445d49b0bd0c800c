//! The JSON Schema of `stickler.toml`, for editors. What a schema cannot say, such as that a file
//! exists, only the reader checks.

use super::key::table_of;
use super::keys;
use crate::vocabulary::Vocabulary;
use serde_json::{Value, json};

/// The schema, with the words of a dialect. Editors support draft 7 best.
pub fn json_schema(words: &Vocabulary) -> String {
    let mut schema = table_of(&keys::file(words), words);
    let head = [
        ("$schema", json!("http://json-schema.org/draft-07/schema#")),
        ("$id", json!(format!("urn:stickler:{}", words.schema))),
        ("title", json!("stickler.toml")),
        (
            "description",
            json!(format!("Describes a {} for Stickler.", words.subject)),
        ),
    ];
    if let Some(schema) = schema.as_object_mut() {
        for (at, (name, value)) in head.into_iter().enumerate() {
            schema.shift_insert(at, name.to_owned(), value);
        }
        let definitions = json!({ "attribute": attribute(words) });
        schema.insert("definitions".to_owned(), definitions);
    }
    format!("{schema:#}\n")
}

/// Where this version's schema is published. Only a release is published: before it, the manifest's address has a
/// placeholder for its owner.
pub fn schema_address(words: &Vocabulary) -> Option<String> {
    let version = env!("CARGO_PKG_VERSION");
    let home = env!("CARGO_PKG_REPOSITORY");
    let is_published = !home.contains("_OWNER_");
    is_published.then(|| format!("{home}/raw/v{version}/docs/schema/{}", words.schema))
}

/// The values of attributes.
pub(super) fn attribute(words: &Vocabulary) -> Value {
    // Elsewhere, numbers travel as text, and a float has no text of its own.
    let number = if words.typed { "number" } else { "integer" };
    let inner = json!({ "$ref": "#/definitions/attribute" });
    json!({
        "type": ["string", "boolean", number, "array", "object"],
        "items": inner,
        "additionalProperties": inner,
    })
}
