//! A starter `stickler.toml` for a Puppet module: an example of each type, from its definition.

use crate::args::PuppetArgs;
use crate::runtime::{Console, describe, failure, start};
use puppet_protocol::{Answer, aliases};
use puppet_runtime::{Exchange, Fault, Strict};
use puppet_suite::{VOCABULARY, find};
use puppet_types::{
    Aliases, Attribute, Behaviour, Definition, Dice, Type, Value, generate, titles,
};
use std::path::Path;
use stickler_face::args::InitArgs;
use stickler_face::init::output::{in_folder, suggest};
use stickler_face::init::starter::{
    Block, Entry, MARK, Starter, SuggestedException, quoted, table,
};
use stickler_face::{Chosen, Done, Failure, terminal};
use stickler_judge::Exit;
use stickler_rpc::{Client, Ended};

/// Writes the file.
pub fn run(chosen: &Chosen<'_>, args: &InitArgs) -> Done {
    let folder = args.module.as_deref().unwrap_or(Path::new("."));
    let output = in_folder(args, folder)?;
    let mut runtime = PuppetArgs {
        module: folder.to_owned(),
        modulepath: Vec::new(),
        puppet_strict: Strict::default(),
        noop: false,
    }
    .runtime();
    runtime.interpreter.clone_from(&args.interpreter);
    // A description that is to be overwritten may be wrong.
    runtime.config = None;
    let found =
        find(folder).map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))?;
    describe(chosen, &runtime)?;
    let console = Console::new(&runtime);
    let mut process = start(chosen, &runtime, &console)?.process;
    let mut blocks = Vec::new();
    let mut types = 0;
    for name in &found.types {
        if let Some(definition) = load(&mut process, "type", name)? {
            types += 1;
            blocks.push(example(&definition, &found.transports));
        }
    }
    for name in &found.transports {
        if let Some(schema) = load(&mut process, "transport", name)? {
            blocks.push(target(name, &schema));
        }
    }
    let starter = Starter {
        describes: "a Puppet module".to_owned(),
        subject: vec![Entry::text("path", ".")],
        blocks,
        rules: [
            SuggestedException::new("RA609", "prints its progress, ticket 12"),
            SuggestedException::new("RA605", "its levels are those of the device"),
        ],
    };
    let text = starter.text(&output, &VOCABULARY)?;
    let what = stickler_report::count(types, "type");
    suggest(args, chosen, &output, &text, &what)?;
    Ok(Exit::Success)
}

/// The definition of a type or of a transport. `None` if the host cannot load it; a note says why.
fn load(process: &mut Client, what: &str, name: &str) -> Result<Option<Definition>, Failure> {
    let params = Value::hash([(what, Value::string(name))]);
    let host = |error: Ended| failure(Fault::Host(error), "init");
    let exchange = Exchange::of(process, "load", &params).map_err(host)?;
    if let Answer::Failed(why) = &exchange.answer {
        terminal::note(&format!("{name} cannot be loaded: {}", why.message));
        return Ok(None);
    }
    let key = format!("{what}s");
    let all = exchange.answer.value(&key);
    let all = all.as_ref().and_then(Value::as_array).unwrap_or_default();
    let aliases = match &exchange.answer {
        Answer::Result(result) => aliases(result).open(),
        _ => Aliases::default(),
    };
    let mut definitions =
        all.iter()
            .filter_map(|one| one.get("definition"))
            .map(|raw| match what {
                "type" => Definition::of_type_with(raw, &aliases),
                _ => Definition::of_transport_with(raw, &aliases),
            });
    Ok(definitions.find(|one| one.name.as_deref() == Some(name)))
}

/// An example of a type.
fn example(definition: &Definition, transports: &[String]) -> Block {
    let name = definition.name.as_deref().unwrap_or_default();
    let (title, why) = title(definition);
    let mut entries = vec![
        Entry::text("name", &format!("an example of {name}")),
        Entry::text("type", name),
        Entry::text("title", &title).about(&format!("{MARK}: {why}")),
    ];
    if definition.has_feature("remote_resource") {
        entries.push(match transports.first() {
            Some(transport) => Entry::text("target", transport),
            None => Entry::text("target", MARK)
                .about(&format!("{MARK}: a device, and [target.{MARK}]"))
                .optional(),
        });
    }
    entries.push(Entry::new("expect", "[\"changed\", \"ok\"]"));
    let is_set =
        |one: &&Attribute| !matches!(one.behaviour, Behaviour::Namevar | Behaviour::ReadOnly);
    let attributes = definition.attributes.iter().filter(is_set);
    Block {
        about: vec![first_line(definition.desc.as_deref())],
        heading: "[[example]]".to_owned(),
        entries,
        inner: Some((
            "[example.attributes]".to_owned(),
            attributes.map(attribute).collect(),
        )),
        ..Block::default()
    }
}

/// A device.
fn target(name: &str, schema: &Definition) -> Block {
    Block {
        about: vec![first_line(schema.desc.as_deref())],
        heading: format!("[target.{name}]"),
        entries: vec![Entry::text("transport", name)],
        inner: Some((
            format!("[target.{name}.connection_info]"),
            schema.attributes.iter().map(attribute).collect(),
        )),
        ..Block::default()
    }
}

fn first_line(text: Option<&str>) -> String {
    let mut lines = text.unwrap_or_default().lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty());
    first.unwrap_or_default().to_owned()
}

/// An attribute with a value, its type and its description.
fn attribute(attribute: &Attribute) -> Entry {
    let own = attribute.data_type.as_ref();
    // A type that is at fault shows by its words what is meant.
    let text = attribute.type_text.as_deref().unwrap_or_default().trim();
    let inner = text.strip_prefix("Optional[");
    let is_optional = attribute.default.is_some()
        || own.map_or(inner.is_some(), |own| matches!(own, Type::Optional(_)));
    let suggested = match &attribute.default {
        Some(default) => Suggestion::known(default.clone()),
        None => own.map_or_else(|| shape(inner.unwrap_or(text)), suggestion),
    };
    let mark = if suggested.is_certain { "" } else { "TODO:" };
    let desc = first_line(attribute.desc.as_deref());
    // The file has no word for what is wrapped.
    let secret = match text.contains("Sensitive[") {
        true => "; write the plain value, Stickler wraps it",
        false => "",
    };
    let about = format!("{mark} {text} {desc}{secret}");
    let entry = Entry::new(&attribute.name, toml(&suggested.value)).about(&about);
    if is_optional { entry.optional() } else { entry }
}

/// A title, and what it has to be.
fn title(definition: &Definition) -> (String, String) {
    let first = definition.namevars().first().map(|name| (*name).to_owned());
    let attribute = first.as_deref().and_then(|name| definition.attribute(name));
    let type_text = attribute.and_then(|one| one.type_text.clone());
    let patterns = definition.title_patterns.as_deref().unwrap_or_default();
    let mut patterns = patterns.iter();
    let usable = patterns.find_map(|one| Some((one.pattern.as_ref()?, one.desc.as_deref())));
    if let Some((pattern, desc)) = usable {
        let samples = titles::samples(pattern, TRIES, &mut Dice::new(1, "title"));
        let plainest = samples.into_iter().min_by_key(|sample| oddness(sample));
        let names = definition.namevars().join(", ");
        let desc = desc.map(|desc| desc.split_whitespace().collect::<Vec<_>>().join(" "));
        let desc = desc.filter(|desc| !desc.is_empty());
        let about = desc.unwrap_or_else(|| format!("/{}/", pattern.source()));
        return (
            plainest.unwrap_or_else(|| MARK.to_owned()),
            format!("namevars {names}: {}", about.replace('\n', " ")),
        );
    }
    let value = attribute
        .and_then(|one| one.data_type.as_ref())
        .map(suggestion);
    let text = value.map_or_else(|| MARK.to_owned(), |one| one.value.to_text());
    let name = first.unwrap_or_else(|| "the title".to_owned());
    (text, format!("{name}, {}", type_text.unwrap_or_default()))
}

/// So many values are made up, of which the plainest is suggested.
const TRIES: usize = 40;

/// A value for an attribute.
struct Suggestion {
    value: Value,
    /// Need the author not look at it?
    is_certain: bool,
}

impl Suggestion {
    fn known(value: Value) -> Self {
        Suggestion {
            value,
            is_certain: true,
        }
    }

    fn unknown() -> Self {
        Suggestion {
            value: Value::string(MARK),
            is_certain: false,
        }
    }
}

/// A value of the outermost of the types that these words name.
fn shape(text: &str) -> Suggestion {
    let name = text.trim_start().split(|one: char| !one.is_alphanumeric());
    let value = match name.into_iter().next().unwrap_or_default() {
        "Struct" | "Hash" => Value::Hash(Vec::new()),
        "Array" | "Tuple" => Value::Array(Vec::new()),
        "Boolean" => Value::Bool(true),
        "Integer" | "Numeric" => Value::integer(1),
        "Float" => Value::Float(1.0),
        _ => return Suggestion::unknown(),
    };
    Suggestion {
        value,
        is_certain: false,
    }
}

fn suggestion(of: &Type) -> Suggestion {
    match of {
        // Puppet's first state is the one that makes something.
        Type::Enum { values, .. } if values.iter().any(|one| one == "present") => {
            Suggestion::known(Value::string("present"))
        }
        Type::Enum { values, .. } if !values.is_empty() => {
            Suggestion::known(Value::string(values[0].as_str()))
        }
        Type::Boolean(only) => Suggestion::known(Value::Bool(only.unwrap_or(true))),
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) | Type::Sensitive(inner) => {
            suggestion(inner)
        }
        Type::Variant(types) => types
            .iter()
            .find(|one| !matches!(one, Type::Undef))
            .map_or_else(Suggestion::unknown, suggestion),
        Type::Array { element, .. } => {
            let own = suggestion(element);
            Suggestion {
                value: Value::Array(vec![own.value]),
                is_certain: false,
            }
        }
        Type::Struct(members) => {
            let members = members.iter();
            let members = members.map(|one| {
                (
                    Value::string(one.name.as_str()),
                    suggestion(&one.value).value,
                )
            });
            Suggestion {
                value: Value::Hash(members.collect()),
                is_certain: false,
            }
        }
        other => {
            let plain = [
                Value::string(MARK),
                Value::integer(1),
                Value::Hash(Vec::new()),
            ];
            let plain = plain
                .into_iter()
                .find(|value| other.matches(value).is_yes());
            let made = || {
                let mut dice = Dice::new(1, "init");
                let all = (0..TRIES).filter_map(|_| generate::valid(other, &mut dice));
                all.min_by_key(|value| oddness(&value.to_text()))
            };
            Suggestion {
                value: plain.or_else(made).unwrap_or_else(|| Value::string(MARK)),
                is_certain: false,
            }
        }
    }
}

/// How far a text is from a word that a person would write: characters of other kinds count most.
fn oddness(text: &str) -> (usize, usize) {
    let count = |of: fn(char) -> bool| text.chars().filter(|one| of(*one)).count();
    let odd = count(|one| !one.is_ascii_alphanumeric() && !"-_./:".contains(one));
    let letters = count(|one| one.is_ascii_lowercase());
    let all = text.chars().count();
    (odd, letters.abs_diff(6) + all - letters)
}

/// A value in the language of the file.
fn toml(value: &Value) -> String {
    match value {
        Value::Bool(bool) => bool.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) if number.is_finite() => value.to_text(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(toml).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Hash(pairs) => {
            let names: Vec<String> = pairs.iter().map(|(name, _)| name.to_text()).collect();
            let values = pairs.iter().map(|(_, value)| toml(value));
            table(names.iter().map(String::as_str).zip(values))
        }
        Value::Sensitive(inner) => toml(inner),
        other => quoted(&other.to_text()),
    }
}
