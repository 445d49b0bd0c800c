//! A starter `stickler.toml` for a Go package with mgmt resources: an example of each kind, from its fields.

use super::output::{in_folder, suggest};
use super::starter::{Block, Entry, MARK, Starter};
use crate::args::InitArgs;
use crate::chosen::Chosen;
use crate::failure::{Done, Failure};
use mgmt_protocol::{Described, Field};
use mgmt_suite::{VOCABULARY, kinds};
use std::path::Path;
use stickler_judge::Exit;
use stickler_suite::Preparing;
use stickler_suite::config::Config;

/// Writes the file.
pub fn run(args: &InitArgs, chosen: &Chosen) -> Done {
    let folder = args.module.as_deref().unwrap_or(Path::new("."));
    let output = in_folder(args, folder)?;
    let mut config = Config {
        dir: folder.to_owned(),
        ..Config::default()
    };
    config.subject.path = Some(".".into());
    let kinds =
        kinds(&config, &Preparing::quietly()).map_err(|error| Failure::usage(error.to_string()))?;
    let starter = Starter {
        describes: "a Go package with mgmt resources".to_owned(),
        subject: vec![Entry::text("path", ".")],
        blocks: kinds.iter().map(example).collect(),
        rules: [
            ("MR403", "a field that does not matter"),
            ("MR212", "named before the guide was written"),
        ],
    };
    let text = starter.text(&output, &VOCABULARY)?;
    let what = stickler_report::count(kinds.len(), "kind");
    suggest(args, chosen, &output, &text, &what)?;
    Ok(Exit::Success)
}

/// An example of a kind.
fn example(kind: &Described) -> Block {
    Block {
        about: vec![format!("{}, {}", kind.kind, kind.type_name)],
        heading: "[[example]]".to_owned(),
        entries: vec![
            Entry::text("label", &format!("an example of {}", kind.kind)),
            Entry::text("kind", &kind.kind),
            Entry::text("name", MARK).about(&format!("{MARK}: the resource's name")),
            Entry::new("expect", "[\"changed\", \"ok\"]"),
        ],
        inner: Some((
            "[example.fields]".to_owned(),
            kind.fields.iter().map(field).collect(),
        )),
        ..Block::default()
    }
}

/// A field with a value of its type.
fn field(field: &Field) -> Entry {
    let value = match field.kind.as_str() {
        "bool" => "false",
        "string" => "\"\"",
        "slice" | "array" => "[]",
        "map" | "struct" => "{}",
        kind if kind.starts_with("int") || kind.starts_with("uint") => "0",
        kind if kind.starts_with("float") => "0.5",
        _ => "\"\"",
    };
    Entry::new(field.key(), value)
        .about(&format!("{MARK}: {}", field.type_name))
        .optional()
}
