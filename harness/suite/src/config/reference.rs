//! The reference page of `stickler.toml`: a table for each table of the file, with a column for each
//! dialect.

use super::holds::CREATED;
use super::key::Key;
use super::keys;
use crate::vocabulary::Vocabulary;
use std::fmt::Write as _;

/// The line before a generated table; the name of a table of the file follows.
const BEGIN: &str = "<!-- generated: ";
/// The line after it.
const END: &str = "<!-- end -->";

/// A key as one dialect has it.
struct Row {
    key: &'static str,
    required: bool,
    /// What it is for, as declared.
    about: &'static str,
    /// The same in the dialect's words.
    described: String,
}

/// A page with its tables of keys written anew.
pub fn reference(page: &str, dialects: &[&Vocabulary]) -> String {
    let mut text = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(text, "{line}");
        let name = line.strip_prefix(BEGIN);
        if let Some(name) = name.and_then(|name| name.strip_suffix(" -->")) {
            text.push_str(&table(name, dialects));
            let _ = writeln!(text, "{END}");
            lines.by_ref().find(|line| *line == END);
        }
    }
    text
}

/// The keys of a table as Markdown. Dialects whose words differ have a column each.
fn table(name: &str, dialects: &[&Vocabulary]) -> String {
    let columns = dialects.iter().map(|words| (*words, rows(name, words)));
    // Not every dialect has each table.
    let columns = columns.filter(|(_, rows)| !rows.is_empty());
    let (dialects, columns): (Vec<&Vocabulary>, Vec<Vec<Row>>) = columns.unzip();
    if columns.is_empty() {
        return String::new();
    }
    let mut keys: Vec<(&str, bool)> = Vec::new();
    for row in columns.iter().flatten() {
        if !keys.iter().any(|(key, _)| *key == row.key) {
            keys.push((row.key, row.required));
        }
    }
    let is_common = |(key, _): &(&str, bool)| {
        let mut abouts = columns.iter().map(|rows| {
            let row = rows.iter().find(|row| row.key == *key);
            row.map(|row| row.about)
        });
        let first = abouts.next().flatten();
        first.is_some() && abouts.all(|about| about == first)
    };
    if keys.iter().all(is_common) {
        return common(&columns[0]);
    }
    let mut text = "\n| key |".to_owned();
    for words in &dialects {
        let _ = write!(text, " {} |", words.subjects);
    }
    let _ = writeln!(text, "\n|---|{}", "---|".repeat(dialects.len()));
    for (key, required) in keys {
        let needed = if required { " (required)" } else { "" };
        let _ = write!(text, "| `{key}`{needed} |");
        let mut first = None;
        for column in &columns {
            let cell = match column.iter().find(|row| row.key == key) {
                None => String::new(),
                Some(row) if first == Some(row.about) && !row.about.contains('{') => {
                    "the same".to_owned()
                }
                Some(row) => {
                    first = first.or(Some(row.about));
                    row.described.replace('|', "\\|")
                }
            };
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    text.push('\n');
    text
}

/// The keys of a table that is the same in all dialects.
fn common(rows: &[Row]) -> String {
    let mut text = "\n| key | meaning |\n|---|---|\n".to_owned();
    for row in rows {
        let about = row.about.replace("{subject}", "subject");
        let about = about.replace("{item}", "item").replace('|', "\\|");
        let needed = if row.required { " (required)" } else { "" };
        let _ = writeln!(text, "| `{}`{needed} | {about} |", row.key);
    }
    text.push('\n');
    text
}

fn rows(name: &str, words: &Vocabulary) -> Vec<Row> {
    match name {
        "file" => rows_of(&keys::file(words), words),
        "subject" => rows_of(&keys::subject(words), words),
        "example" => rows_of(&keys::example(words), words),
        "creates" => rows_of(&CREATED, words),
        "target" => rows_of(words.keys.target, words),
        "service" => rows_of(&keys::SERVICE, words),
        "xfail" => rows_of(&keys::known(words), words),
        "effects" => rows_of(&keys::EFFECTS, words),
        "sandbox" => rows_of(&keys::SANDBOX, words),
        _ => Vec::new(),
    }
}

fn rows_of<T>(keys: &[Key<T>], words: &Vocabulary) -> Vec<Row> {
    let row = |key: &Key<T>| Row {
        key: key.name,
        required: key.required,
        about: key.about,
        described: key.described(words),
    };
    keys.iter().map(row).collect()
}
