//! `creates`, `absent` and `verify` of an example: what holds once it is brought about.

use super::key::{Form, Key, Table};
use super::reader::{Field, Reader};
use super::{Config, ConfigError, Created};
use serde_json::json;
use std::ops::Range;
use stickler_transcript::{Account, FileType};
use toml::de::DeValue;

/// A database of the system, and what is in it.
type Database = (&'static str, &'static str);

const USERS: Database = ("/etc/passwd", "user");
const GROUPS: Database = ("/etc/group", "group");

/// An entry of `creates`
pub(super) static CREATED: [Key<Created>; 6] = [
    Key::new(
        "type",
        "Its type.",
        Form::OneOf(&["file", "directory", "link"], |created, text| {
            created.kind = match &text[..] {
                "directory" => Some(FileType::Directory),
                "link" => Some(FileType::Link),
                _ => Some(FileType::File),
            }
        }),
    ),
    Key::new(
        "mode",
        "Its permissions in octal digits.",
        Form::Other {
            schema: |_| json!({ "type": "string", "pattern": "^[0-7]{1,5}$" }),
            read: |reader, value, created| {
                created.mode = Some(reader.mode(value)?);
                Ok(())
            },
        },
    ),
    Key::new(
        "owner",
        "Its owner: a name or a number.",
        Form::Other {
            schema: |_| json!({ "type": ["string", "integer"] }),
            read: |reader, value, created| {
                created.owner = Some(reader.account(value, USERS)?);
                Ok(())
            },
        },
    ),
    Key::new(
        "group",
        "Its group: a name or a number.",
        Form::Other {
            schema: |_| json!({ "type": ["string", "integer"] }),
            read: |reader, value, created| {
                created.group = Some(reader.account(value, GROUPS)?);
                Ok(())
            },
        },
    ),
    Key::new(
        "content",
        "The content of a file.",
        Form::Text(|created, content| created.content = Some(content)),
    ),
    Key::new(
        "target",
        "Where a link leads.",
        Form::Text(|created: &mut Created, target| {
            created.kind = Some(FileType::Link);
            created.content = Some(target);
        }),
    )
    .replaces("content"),
];

impl Reader<'_> {
    /// The paths with what is at each.
    pub(super) fn creates(&self, value: Field<'_>) -> Result<Vec<Created>, ConfigError> {
        let mut creates = Vec::new();
        for (path, value, span) in self.entries(value, "creates")? {
            let path = self.filled(&path);
            self.path(&path, span)?;
            creates.push(self.created(path, value)?);
        }
        Ok(creates)
    }

    /// Paths at which nothing is.
    pub(super) fn absent(&self, value: Field<'_>) -> Result<Vec<String>, ConfigError> {
        let wanted = "a list of paths, such as [\"{dir}/old\"]";
        let DeValue::Array(items) = value.get_ref() else {
            return Err(self.wrong(value, wanted));
        };
        let path = |item| {
            let path = self.string(item, "a path")?;
            self.path(&path, item.span())?;
            Ok(path)
        };
        items.iter().map(path).collect()
    }

    fn path(&self, path: &str, span: Range<usize>) -> Result<(), ConfigError> {
        if path.starts_with('/') || path.starts_with("{dir}") {
            return Ok(());
        }
        let help = "write an absolute path, or one that begins with {dir}";
        Err(self.error(
            span,
            format!("\"{path}\" depends on the working directory"),
            Some(help.into()),
        ))
    }

    fn created(&self, path: String, value: Field<'_>) -> Result<Created, ConfigError> {
        let mut created = Created {
            path,
            ..Created::default()
        };
        self.read(value, Table::One("creates"), &CREATED, &mut created)?;
        if let DeValue::Table(entries) = value.get_ref()
            && let Some(kind) = entries.get("type")
            && entries.contains_key("target")
            && !matches!(kind.get_ref(), DeValue::String(kind) if kind == "link")
        {
            return Err(self.error(
                kind.span(),
                "only a link has a target".into(),
                Some("take `target` or `type` out".into()),
            ));
        }
        let is_file = created.kind.is_none_or(|kind| kind == FileType::File);
        let is_link = created.kind == Some(FileType::Link);
        if created.content.is_some() && !is_file && !is_link {
            return Err(self.error(
                value.span(),
                "only a file has content".into(),
                Some("take `content` or `type` out".into()),
            ));
        }
        if created.content.is_some() && is_file {
            created.kind = Some(FileType::File);
        }
        Ok(created)
    }

    fn mode(&self, value: Field<'_>) -> Result<u32, ConfigError> {
        const WANTED: &str = "the mode as octal digits, in quotes: \"0644\"";
        let text = self.string(value, "the mode as octal digits, such as \"0644\"")?;
        let mode = u32::from_str_radix(&text, 8).ok();
        let mode = mode.filter(|mode| *mode <= 0o7777 && !text.starts_with('+'));
        mode.ok_or_else(|| self.wrong(value, WANTED))
    }

    /// A number, or a name in a database of the system. One that this machine does not have may be made by `setup`.
    fn account(&self, value: Field<'_>, (file, what): Database) -> Result<Account, ConfigError> {
        let text = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().to_owned(),
            _ => self.string(value, &format!("the {what}'s name or number"))?,
        };
        if let Ok(number) = text.parse() {
            return Ok(Account::Number(number));
        }
        let database = std::fs::read_to_string(file).unwrap_or_default();
        let lines = database.lines().map(|line| line.split(':').collect());
        let known = lines.filter(|fields: &Vec<&str>| fields.first() == Some(&&text[..]));
        let mut numbers = known.filter_map(|fields| fields.get(2)?.parse().ok());
        let number = numbers.next().map(Account::Number);
        Ok(number.unwrap_or(Account::Name(text)))
    }
}

/// Checks that a name of a user or group is that of this machine, or may be made by the `setup` of its example.
pub(super) fn owned(reader: &Reader<'_>, config: &Config) -> Result<(), ConfigError> {
    let all = config.examples.iter().chain(&config.invalid);
    let bare = all.filter(|example| example.setup.is_empty());
    for created in bare.flat_map(|example| &example.creates) {
        for (account, (file, what)) in [(&created.owner, USERS), (&created.group, GROUPS)] {
            if let Some(Account::Name(name)) = account {
                return Err(reader.error_in(
                    name,
                    format!("this machine has no {what} \"{name}\""),
                    Some(format!(
                        "write a {what} of {file}, or a number, or make it in `setup`"
                    )),
                ));
            }
        }
    }
    Ok(())
}
