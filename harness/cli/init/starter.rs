//! The text of a starter `stickler.toml`.

use cfengine_protocol::wire::{Encode as _, Protocol, Style, Value};
use std::fmt::Write as _;
use std::path::PathBuf;
use stickler_suite::config::Example;

/// The content of the starter file.
pub struct Starter {
    pub module: String,
    pub path: PathBuf,
    pub interpreter: Option<String>,
    pub promise_types: Vec<String>,
    pub protocol: Option<Protocol>,
    pub action_policy: bool,
    /// Attributes that validation asks for.
    pub required: Vec<String>,
    /// Attributes named in the source.
    pub others: Vec<String>,
    /// Promises from a policy.
    pub examples: Vec<Example>,
}

impl Starter {
    /// The file's text. Without a policy, it contains no active example: examples are commented out
    /// until the author fills in values.
    pub fn text(&self) -> String {
        let address = stickler_suite::config::schema_address(&cfengine_suite::VOCABULARY);
        let mut out = format!("#:schema {address}\n");
        let _ = writeln!(
            out,
            "# Describes {} for Stickler. `stickler check` reads this file.\n\
             # Lines that start with `#` are suggestions. Paths are relative to this file.\n",
            one_line(&self.module)
        );
        self.subject(&mut out);
        match &self.examples[..] {
            [] => self.example(&mut out),
            examples => promises(&mut out, examples),
        }
        self.invalid(&mut out);
        out.push_str(REST);
        out
    }

    fn subject(&self, out: &mut String) {
        out.push_str("[subject]\ndialect = \"promise-module\"\n");
        match &self.promise_types[..] {
            [one] => {
                let _ = writeln!(out, "promise_type = {}", quoted(one));
            }
            several => {
                let names: Vec<String> = several.iter().map(|name| quoted(name)).collect();
                let _ = writeln!(out, "promise_types = [{}]", names.join(", "));
            }
        }
        if let Some(interpreter) = &self.interpreter {
            let _ = writeln!(out, "interpreter = {}", quoted(interpreter));
        }
        let _ = writeln!(out, "path = {}", quoted(&self.path.to_string_lossy()));
        out.push_str(
            "# env = { NAME = \"value\" }            # the module sees PATH, HOME, TMPDIR, LANG, and these\n\
             # sensitive = [\"password\"]            # attributes whose values are secrets: never stored or shown\n\
             # executes = [\"command\"]              # attributes (or \"promiser\") that hold commands to run\n\
             # open_attributes = true              # the module accepts any attribute name\n\
             # deadlines = { evaluate = 60 }       # seconds; also header, validate, terminate\n",
        );
    }

    fn example(&self, out: &mut String) {
        out.push_str(
            "\n# A valid promise, as in a policy. Without an example, Stickler judges only the header, the\n\
             # framing and validation. Remove the `#` and replace every TODO.\n\
             # {dir} is an empty folder, new in each session.\n",
        );
        if self.action_policy {
            out.push_str(
                "# The module understands action_policy: Stickler also evaluates a `repaired` example under\n\
                 # `warn` and `nop`, where the module must change nothing.\n",
            );
        }
        if self.protocol == Some(Protocol::Line) {
            out.push_str("# The line protocol carries only text: no lists, no newlines.\n");
        }
        out.push_str(
            "#\n# [[example]]\n# name = \"what this example shows\"\n# promiser = \"{dir}/TODO\"\n",
        );
        let required = self.required.iter().map(|name| (name, "TODO"));
        let attributes: Vec<String> = required
            .map(|(name, value)| format!("{} = {}", key(name), quoted(value)))
            .collect();
        if attributes.is_empty() {
            match self.others.first() {
                Some(name) => {
                    let _ = writeln!(out, "# attributes = {{ {} = \"TODO\" }}", key(name));
                }
                None => out.push_str("# attributes = {}\n"),
            }
        } else {
            let _ = writeln!(out, "# attributes = {{ {} }}", attributes.join(", "));
        }
        let rest: Vec<&str> = self
            .others
            .iter()
            .skip(usize::from(attributes.is_empty()))
            .map(String::as_str)
            .collect();
        if !rest.is_empty() {
            for line in filled("#   # the source also names: ", &rest) {
                let _ = writeln!(out, "{line}");
            }
        }
        out.push_str(
            "# setup = [[\"mkdir\", \"-p\", \"{dir}/sub\"]]   # commands that prepare {dir}, if any\n\
             # expect = [\"repaired\", \"kept\"]            # one result per evaluation; the last repeats\n\
             # creates = { \"{dir}/file\" = { mode = \"0644\" } }   # must exist afterwards\n\
             # absent = [\"{dir}/old\"]                   # must not exist afterwards\n\
             # verify = [[\"test\", \"-s\", \"{dir}/file\"]]  # commands that must succeed afterwards\n",
        );
    }

    fn invalid(&self, out: &mut String) {
        out.push_str("\n# A promise that validation must reject.\n#\n# [[invalid]]\n");
        match self.required.first() {
            Some(name) => {
                let _ = writeln!(
                    out,
                    "# name = {}\n# promiser = \"{{dir}}/TODO\"\n# attributes = {{}}",
                    quoted(&format!("no {name}"))
                );
            }
            None => out
                .push_str("# name = \"relative path\"\n# promiser = \"TODO\"\n# attributes = {}\n"),
        }
    }
}

/// Writes a policy's promises as examples.
fn promises(out: &mut String, examples: &[Example]) {
    out.push_str(
        "\n# The promises of the policy, as an agent sends them. {dir} is an empty folder, new in each\n\
         # session. A promiser below {dir} exercises more rules than a fixed path.\n\
         # setup = [[\"mkdir\", \"-p\", \"{dir}/sub\"]]   # commands that prepare {dir}, if any\n\
         # expect = [\"repaired\", \"kept\"]            # one result per evaluation; the last repeats\n\
             # creates = { \"{dir}/file\" = { mode = \"0644\" } }   # must exist afterwards\n\
             # absent = [\"{dir}/old\"]                   # must not exist afterwards\n\
             # verify = [[\"test\", \"-s\", \"{dir}/file\"]]  # commands that must succeed afterwards\n",
    );
    for example in examples {
        let _ = write!(out, "\n[[example]]\nname = {}\n", quoted(&example.name));
        if let Some(promise_type) = &example.kind {
            let _ = writeln!(out, "promise_type = {}", quoted(promise_type));
        }
        let promiser = example
            .identity
            .first()
            .and_then(|(_, value)| value.as_text());
        let promiser = String::from_utf8_lossy(promiser.unwrap_or_default());
        let _ = writeln!(out, "promiser = {}", quoted(&promiser));
        let (plain, raw): (Vec<_>, Vec<_>) = example
            .attributes
            .iter()
            .map(|(name, value)| (name, value, plain(value)))
            .partition(|(_, _, plain)| plain.is_some());
        let plain: Vec<String> = plain
            .into_iter()
            .filter_map(|(name, _, text)| Some(format!("{} = {}", key(name), text?)))
            .collect();
        if !plain.is_empty() {
            let _ = writeln!(out, "attributes = {{ {} }}", plain.join(", "));
        }
        if !raw.is_empty() {
            let members = raw
                .into_iter()
                .map(|(name, value, _)| (name.clone().into_bytes(), value.clone()))
                .collect();
            let json = Value::Object(members).encode(Style::Ascii);
            let json = String::from_utf8_lossy(&json).into_owned();
            let _ = writeln!(out, "raw_attributes = {}", quoted(&json));
        }
    }
}

/// A text or a list of texts in TOML.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Text(bytes) => Some(quoted(std::str::from_utf8(bytes).ok()?)),
        Value::List(items) => {
            let items = items.iter().map(|item| match item {
                Value::Text(_) => plain(item),
                _ => None,
            });
            Some(format!(
                "[{}]",
                items.collect::<Option<Vec<_>>>()?.join(", ")
            ))
        }
        _ => None,
    }
}

const REST: &str = r#"
# Replacements of commands, first in the module's PATH:
# [fake]
# systemctl = "fakes/systemctl"

# A server on the session's loopback network:
# [[service]]
# command = ["python3", "-m", "http.server", "8080"]
# ready = "http://127.0.0.1:8080/"

# Known failures; `stickler check --baseline` adds them. If one no longer occurs, the run fails.
# [[xfail]]
# rule = "PM805"
# reason = "leaves its log, ticket 12"

# Rules that do not apply to this module, and why:
# [[waive]]
# rule = "PM907"
# reason = "any attribute is a header"
"#;

/// A basic string. TOML and JSON need the same escapes, except for DEL.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('\u{7f}', "\\u007f")
}

fn key(name: &str) -> String {
    let bare = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { name.to_owned() } else { quoted(name) }
}

fn one_line(text: &str) -> String {
    stickler_report::visible(text).into_owned()
}

/// Words in lines of at most 96 columns.
fn filled(lead: &str, words: &[&str]) -> Vec<String> {
    let mut lines = vec![lead.to_owned()];
    for (index, word) in words.iter().enumerate() {
        let comma = if index + 1 < words.len() { ", " } else { "" };
        if let Some(line) = lines.last_mut() {
            if line.len() + word.len() <= 94 {
                line.push_str(word);
                line.push_str(comma);
                continue;
            }
            line.truncate(line.trim_end().len());
        }
        lines.push(format!("#   # {word}{comma}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::Starter;
    use cfengine_protocol::wire::Protocol;
    use cfengine_suite::VOCABULARY;
    use std::path::Path;
    use stickler_suite::config::from_text;

    fn starter(folder: &Path, required: &[&str], others: &[&str]) -> Starter {
        std::fs::write(folder.join("it's \"mine\".py"), "").expect("written");
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Starter {
            module: "it's \"mine\".py".into(),
            path: "it's \"mine\".py".into(),
            interpreter: Some("python3".into()),
            promise_types: vec!["mine".into()],
            protocol: Some(Protocol::Json),
            action_policy: true,
            required: own(required),
            others: own(others),
            examples: Vec::new(),
        }
    }

    /// Removes one `#` from the lines of a block, as an author would.
    fn uncommented(text: &str, heading: &str) -> String {
        let mut inside = false;
        text.lines()
            .map(|line| {
                inside = (inside || line == format!("# {heading}")) && line.starts_with('#');
                match line.strip_prefix("# ") {
                    Some(bare) if inside => bare,
                    _ => line,
                }
            })
            .map(|line| format!("{line}\n"))
            .collect()
    }

    #[test]
    fn the_file_is_valid_with_and_without_its_examples() {
        let folder = tempfile::tempdir().expect("a folder");
        let many: Vec<String> = (0..30).map(|n| format!("attribute_{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        for (required, others) in [
            (&["a", "b"][..], &["c"][..]),
            (&[], &["c", "d"]),
            (&[], &[]),
            (&["a"], &many),
        ] {
            let text = starter(folder.path(), required, others).text();
            let file = folder.path().join("stickler.toml");
            let config = from_text(&file, &text, &VOCABULARY).expect("valid");
            assert!(config.examples.is_empty());
            let text = uncommented(&text, "[[example]]");
            let text = uncommented(&text, "[[invalid]]");
            let config = from_text(&file, &text, &VOCABULARY)
                .unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(
                (config.examples.len(), config.invalid.len()),
                (1, 1),
                "{text}"
            );
            assert!(
                text.lines().all(|line| line.chars().count() <= 100),
                "{text}"
            );
        }
    }
}
