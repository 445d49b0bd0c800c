//! The keys that all dialects have, and keys that several have. Reader and schema know no others.

use super::date::is_date;
use super::holds::CREATED;
use super::key::{Form, Key};
use super::key::{Table, list_of, table_of, tables_of};
use super::reader::{Field, LONGEST, Reader};
use super::{Config, ConfigError, Device, Example, Exception, Sandbox, Service, Subject};
use crate::vocabulary::Vocabulary;
use serde_json::json;
use std::path::PathBuf;
use stickler_transcript::Value;
use toml::de::DeValue;

/// `path`, of dialects whose subjects are files or folders.
pub const PATH: Key<Subject> = Key::new(
    "path",
    "The {subject}, relative to this file.",
    Form::Text(|subject, path| subject.path = Some(path.into())),
);

/// `interpreter`, of dialects whose subjects a program runs.
pub const INTERPRETER: Key<Subject> = Key::new(
    "interpreter",
    "The program that runs the {subject}.",
    Form::Text(|subject, program| subject.interpreter = Some(program)),
);

/// `command`, of dialects whose subjects are programs.
pub const COMMAND: Key<Subject> = Key::new(
    "command",
    "A whole command line instead of `interpreter`; `path` then only says where the source is.",
    Form::Command(|subject: &mut Subject, command| subject.command = command),
)
.replaces(INTERPRETER.name);

/// `executes`, of dialects that plan the shared traps and baits.
pub const EXECUTES: Key<Subject> = Key::new(
    "executes",
    "Attributes whose values are commands that the {subject} runs.",
    Form::Texts(|subject, fields| subject.executes = fields),
);

/// `open_attributes`, of dialects in which the subject alone knows the names of attributes.
pub const OPEN_ATTRIBUTES: Key<Subject> = Key::new(
    "open_attributes",
    "Does the {subject} accept any attribute name?",
    Form::Truth(|subject, open| subject.open_attributes = open),
);

/// `[target.NAME]`, of dialects whose items may live on devices; their `Keys::target` are its keys.
pub const TARGET: Key<Config> = Key::new(
    "target",
    "Devices on which a {item} may live: a name, and how to connect to it.",
    Form::Other {
        schema: |words| {
            let device = table_of(words.keys.target, words);
            json!({ "type": "object", "additionalProperties": device })
        },
        read: |reader, value, config| {
            for (name, value, _) in reader.entries(value, "target")? {
                let table = format!("target.{name}");
                let mut device = Device {
                    name,
                    ..Device::default()
                };
                reader.read(
                    value,
                    Table::One(&table),
                    reader.words.keys.target,
                    &mut device,
                )?;
                config.targets.push(device);
            }
            Ok(())
        },
    },
);

/// The tables of the file.
pub(super) fn file(words: &Vocabulary) -> Vec<Key<Config>> {
    let mut keys: Vec<Key<Config>> = vec![
        Key::new(
            "subject",
            "The {subject} under test.",
            Form::Other {
                schema: |words| table_of(&subject(words), words),
                read: |reader, value, config| {
                    let keys = subject(reader.words);
                    let mut subject = std::mem::take(&mut config.subject);
                    reader.read(value, Table::One("subject"), &keys, &mut subject)?;
                    if let Some(path) = &subject.path
                        && reader.wants_subject
                    {
                        reader.existing(&config.dir, path, reader.span_of(value, "path"))?;
                    }
                    config.subject = subject;
                    Ok(())
                },
            },
        ),
        Key::new(
            "fake",
            "Programs that replace commands: a name, and a path relative to this file.",
            Form::Other {
                schema: |_| json!({ "type": "object", "additionalProperties": { "type": "string" } }),
                read: |reader, value, config| {
                    for (name, path, _) in reader.entries(value, "fake")? {
                        let file = PathBuf::from(reader.string(path, "a path")?);
                        let program = reader.contents(&config.dir, &file, path.span())?;
                        config.fakes.push((name, program));
                    }
                    Ok(())
                },
            },
        ),
        Key::new(
            "service",
            "Servers on the session's loopback network.",
            Form::Other {
                schema: |words| tables_of(&SERVICE, words),
                read: |reader, value, config| {
                    config.services = reader.tables(value, "service", &SERVICE)?;
                    Ok(())
                },
            },
        ),
        Key::new(
            "example",
            "Valid examples of a {item}.",
            Form::Other {
                schema: |words| tables_of(&example(words), words),
                read: |reader, value, config| {
                    config.examples = examples(reader, value, "example")?;
                    Ok(())
                },
            },
        ),
        Key::new(
            "invalid",
            "Examples of a {item} that validation must reject.",
            Form::Other {
                schema: |words| tables_of(&item(words), words),
                read: |reader, value, config| {
                    config.invalid = examples(reader, value, "invalid")?;
                    Ok(())
                },
            },
        ),
        Key::new(
            "xfail",
            "Known failures. If one no longer occurs, the run fails.",
            Form::Other {
                schema: |words| tables_of(&known(words), words),
                read: |reader, value, config| {
                    let keys = known(reader.words);
                    config.xfail = reader.tables(value, "xfail", &keys)?;
                    Ok(())
                },
            },
        ),
        Key::new(
            "waive",
            "Rules that do not apply.",
            Form::Other {
                schema: |words| tables_of(&known(words), words),
                read: |reader, value, config| {
                    let keys = known(reader.words);
                    config.waive = reader.tables(value, "waive", &keys)?;
                    Ok(())
                },
            },
        ),
        Key::new(
            "effects",
            "Which effects count.",
            Form::Other {
                schema: |words| table_of(&EFFECTS, words),
                read: |reader, value, config| {
                    reader.read(value, Table::One("effects"), &EFFECTS, config)
                },
            },
        ),
        Key::new(
            "sandbox",
            "Where the {subject} runs.",
            Form::Other {
                schema: |words| table_of(&SANDBOX, words),
                read: |reader, value, config| {
                    let table = Table::One("sandbox");
                    reader.read(value, table, &SANDBOX, &mut config.sandbox)
                },
            },
        ),
    ];
    keys.extend_from_slice(words.keys.file);
    keys
}

/// `[subject]`
pub(super) fn subject(words: &Vocabulary) -> Vec<Key<Subject>> {
    let mut keys: Vec<Key<Subject>> = vec![
        DIALECT,
        Key::new(
            words.kind_key,
            "The {kind} that the {subject} serves.",
            Form::Text(|subject, kind| subject.kinds = vec![kind]),
        ),
        Key::new(
            words.kinds_key,
            "The {kind}s that the {subject} serves; the first is that of examples without one.",
            Form::Texts(|subject: &mut Subject, kinds| subject.kinds = kinds),
        )
        .replaces(words.kind_key),
    ];
    keys.extend_from_slice(words.keys.subject);
    keys.extend([ENV, SENSITIVE, DEADLINES]);
    keys
}

const DIALECT: Key<Subject> = Key::new(
    "dialect",
    "The kind of subject.",
    Form::Other {
        schema: |words| json!({ "enum": [words.dialect] }),
        read: |reader, value, subject| {
            let dialect = reader.string(value, "a dialect")?;
            if dialect != reader.words.dialect {
                return Err(reader.error(
                    value.span(),
                    format!("this file describes a subject of the dialect \"{dialect}\""),
                    Some(format!("it is read as \"{}\"", reader.words.dialect)),
                ));
            }
            subject.dialect = Some(dialect);
            Ok(())
        },
    },
);

const ENV: Key<Subject> = Key::new(
    "env",
    "Environment variables in addition to `PATH`, `HOME`, `TMPDIR` and `LANG=C.UTF-8`; `{config_dir}` \
     stands for the folder of this file.",
    Form::Variables(|subject, variables| subject.env = variables),
);

const SENSITIVE: Key<Subject> = Key::new(
    "sensitive",
    "Attributes whose values are secrets: never stored or shown.",
    Form::Texts(|subject, fields| subject.sensitive = fields),
);

const DEADLINES: Key<Subject> = Key::new(
    "deadlines",
    "How long each kind of message may take, in seconds: {phases}.",
    Form::Other {
        schema: |words| {
            let seconds = json!({ "type": "number", "exclusiveMinimum": 0, "maximum": LONGEST });
            let phases = words.phases.iter();
            let keys = phases.map(|(phase, _)| (phase.to_string(), seconds.clone()));
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": keys.collect::<serde_json::Map<_, _>>(),
            })
        },
        read: |reader, value, subject| {
            let phases = reader.words.phases.iter().map(|(phase, _)| *phase);
            let names: Vec<String> = phases.clone().map(|phase| phase.to_string()).collect();
            for (key, value, span) in reader.entries(value, "subject.deadlines")? {
                let phase = phases.clone().find(|phase| phase.name() == key);
                let phase = phase.ok_or_else(|| reader.unlisted(span, &key, &names))?;
                subject.deadlines.insert(phase, reader.seconds(value)?);
            }
            Ok(())
        },
    },
);

/// `[[invalid]]`: the keys that say what the item is.
pub(super) fn item(words: &Vocabulary) -> Vec<Key<Example>> {
    let mut keys: Vec<Key<Example>> = vec![
        Key::new(
            words.label_key,
            "A name that no other example has.",
            Form::Text(|example, name| example.name = name),
        ),
        Key::new(
            words.kind_key,
            "The {kind}, if it is not the first of `[subject]`.",
            Form::Text(|example, kind| example.kind = Some(kind)),
        ),
        Key::required(
            words.identity_key,
            "What identifies the {item}; `{dir}` stands for an empty directory.",
            Form::Other {
                schema: |_| json!({ "type": "string" }),
                read: |reader, value, example| {
                    let key = reader.words.identity_key;
                    let text = reader.string(value, &format!("the {key}"))?;
                    example.identity.push((key.to_owned(), Value::text(text)));
                    Ok(())
                },
            },
        ),
        Key::new(
            words.attributes_key,
            "The attributes of the {item}.",
            Form::Values(|example, attributes| example.attributes.extend(attributes)),
        ),
    ];
    keys.extend_from_slice(words.keys.item);
    keys.push(SETUP);
    keys
}

/// `[[example]]`
pub(super) fn example(words: &Vocabulary) -> Vec<Key<Example>> {
    let mut keys = item(words);
    keys.extend(outcome(words));
    keys
}

/// Reads `[[example]]` or `[[invalid]]`.
fn examples(
    reader: &Reader<'_>,
    value: Field<'_>,
    name: &str,
) -> Result<Vec<Example>, ConfigError> {
    let is_evaluated = name == "example";
    let keys = match is_evaluated {
        true => example(reader.words),
        false => item(reader.words),
    };
    let outcome = outcome(reader.words);
    let mut examples = Vec::new();
    for value in reader.listed(value, name)? {
        for (key, _, span) in reader.entries(value, name)? {
            if !is_evaluated && outcome.iter().any(|known| known.name == key) {
                let item = reader.words.item;
                return Err(reader.error(
                    span,
                    format!("an [[{name}]] {item} is never evaluated, so it has no outcome"),
                    Some(format!("take `{key}` out")),
                ));
            }
        }
        let mut example = Example {
            name: super::found::unnamed(name, examples.len()),
            ..Example::default()
        };
        reader.read(value, Table::Listed(name), &keys, &mut example)?;
        examples.push(example);
    }
    Ok(examples)
}

/// The keys about evaluations, which `[[invalid]]` does not have.
pub(super) fn outcome(words: &Vocabulary) -> Vec<Key<Example>> {
    let mut keys = vec![EXPECT, CREATES, ABSENT, VERIFY];
    keys.extend_from_slice(words.keys.outcome);
    keys
}

const SETUP: Key<Example> = Key::new(
    "setup",
    "Commands that prepare the directory, in the sandbox.",
    Form::Commands(|example, commands| example.setup = commands),
);

const EXPECT: Key<Example> = Key::new(
    "expect",
    "One outcome per evaluation, of {outcomes}; the last repeats.",
    Form::Other {
        schema: |words| list_of(&json!({ "enum": words.outcome_words() })),
        read: |reader, value, example| {
            example.expect = reader.expect(value)?;
            Ok(())
        },
    },
);

/// The schema of `creates`.
pub(super) fn created_schema(words: &Vocabulary) -> serde_json::Value {
    json!({ "type": "object", "additionalProperties": table_of(&CREATED, words) })
}

/// The schema of a list of texts.
pub(super) fn texts_schema(_: &Vocabulary) -> serde_json::Value {
    list_of(&json!({ "type": "string" }))
}

const CREATES: Key<Example> = Key::new(
    "creates",
    "What is at each of these paths after the first evaluation.",
    Form::Other {
        schema: created_schema,
        read: |reader, value, example| {
            example.creates = reader.creates(value)?;
            Ok(())
        },
    },
);

const ABSENT: Key<Example> = Key::new(
    "absent",
    "Paths at which nothing is after the first evaluation.",
    Form::Other {
        schema: texts_schema,
        read: |reader, value, example| {
            example.absent = reader.absent(value)?;
            Ok(())
        },
    },
);

const VERIFY: Key<Example> = Key::new(
    "verify",
    "Commands that succeed after the first evaluation.",
    Form::Commands(|example, commands| example.verify = commands),
);

/// `[[service]]`
pub(super) static SERVICE: [Key<Service>; 2] = [
    Key::required(
        "command",
        "Its command line; file names in it are relative to this file.",
        Form::Command(|service, command| service.command = command),
    ),
    Key::new(
        "ready",
        "An address that accepts connections when the service is ready.",
        Form::Text(|service, address| service.ready = Some(address)),
    ),
];

/// `[[xfail]]` and `[[waive]]`
pub(super) fn known(words: &Vocabulary) -> Vec<Key<Exception>> {
    vec![
        RULE,
        Key::required(
            "reason",
            "Why.",
            Form::Name(|known, reason| known.reason = reason),
        ),
        UNTIL,
        Key::new(
            "example",
            "Only for the example of this name.",
            Form::Text(|known, example| known.example = Some(example)),
        ),
        Key::new(
            words.kind_key,
            "Only for items of this {kind}.",
            Form::Text(|known, kind| known.kind = Some(kind)),
        ),
        Key::new(
            "field",
            "Only for this attribute.",
            Form::Text(|known, field| known.field = Some(field)),
        ),
    ]
}

const RULE: Key<Exception> = Key::required(
    "rule",
    "The rule's code; `stickler rules` lists all.",
    Form::Other {
        schema: |_| json!({ "type": "string", "minLength": 1 }),
        read: |reader, value, known| {
            known.rule = reader.string(value, "a rule's code")?;
            if (reader.words.has_rule)(&known.rule) {
                return Ok(());
            }
            Err(reader.error(
                value.span(),
                format!("there is no rule \"{}\"", known.rule),
                Some("`stickler rules` lists them".into()),
            ))
        },
    },
);

const UNTIL: Key<Exception> = Key::new(
    "until",
    "The last day on which it holds.",
    Form::Other {
        schema: |_| json!({ "type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}$" }),
        read: |reader, value, known| {
            let date = match value.get_ref() {
                DeValue::Datetime(date) => date.to_string(),
                _ => reader.string(value, "a date such as \"2027-06-01\"")?,
            };
            if !is_date(&date) {
                return Err(reader.wrong(value, "a date such as \"2027-06-01\""));
            }
            known.until = Some(date);
            Ok(())
        },
    },
);

/// `[effects]`
pub(super) static EFFECTS: [Key<Config>; 1] = [Key::new(
    "ignore",
    "Globs of paths whose changes do not count. Caches, byte code and logs outside the scratch \
     directory (`*.log`, `/var/log`) never count.",
    Form::Other {
        schema: |_| list_of(&json!({ "type": "string" })),
        read: |reader, value, config| {
            config.ignore = reader.globs(value)?;
            Ok(())
        },
    },
)];

/// `[sandbox]`
pub(super) static SANDBOX: [Key<Sandbox>; 3] = [
    Key::new(
        "tier",
        "The sandbox; by default the best that the machine supports.",
        Form::OneOf(&["overlay", "copy", "none"], |sandbox, tier| {
            sandbox.tier = Some(tier);
        }),
    ),
    Key::new(
        "network",
        "Does the {subject} keep access to the machine's network?",
        Form::Truth(|sandbox, network| sandbox.network = network),
    ),
    Key::new(
        "expose",
        "Absolute paths of this machine that the {subject} may use and change.",
        Form::Other {
            schema: |_| list_of(&json!({ "type": "string", "pattern": "^/" })),
            read: |reader, value, sandbox| {
                let paths = reader.strings(value, "a list of absolute paths")?;
                sandbox.expose = paths.into_iter().map(PathBuf::from).collect();
                if sandbox.expose.iter().any(|path| path.is_relative()) {
                    return Err(reader.wrong(value, "absolute paths"));
                }
                Ok(())
            },
        },
    ),
];
