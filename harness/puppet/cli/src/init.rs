//! A starter `stickler.toml` for a Puppet module: an example of each type, from its definition.

use crate::args::PuppetArgs;
use crate::runtime::{Console, Needs, describe, failure, start};
use puppet_protocol::{Answer, aliases};
use puppet_runtime::{Exchange, Fault, Release};
use puppet_suite::{VOCABULARY, find, wrapped};
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
        puppet_strict: None,
        noop: false,
    }
    .runtime(Some(Release::NEWEST));
    runtime.interpreter.clone_from(&args.interpreter);
    // A description that is to be overwritten may be wrong.
    runtime.config = None;
    let found =
        find(folder).map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))?;
    describe(chosen, &runtime)?;
    let console = Console::new(&runtime);
    let mut process = start(chosen, &runtime, &console, Needs::Connection)?.process;
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
        subject: vec![
            Entry::text("path", "."),
            Entry::new("runtimes", runtimes())
                .about("the releases of Puppet that it is meant for; without this line, all measured ones")
                .optional(),
        ],
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

/// All measured releases, as the file lists them.
fn runtimes() -> String {
    let all = Release::MEASURED.map(|one| quoted(one.name));
    format!("[{}]", all.join(", "))
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
    let (about, inner) = described(definition, is_set);
    Block {
        about,
        heading: "[[example]]".to_owned(),
        entries,
        inner: Some(("[example.attributes]".to_owned(), inner)),
        ..Block::default()
    }
}

/// A device.
fn target(name: &str, schema: &Definition) -> Block {
    let (about, inner) = described(schema, |_| true);
    Block {
        about,
        heading: format!("[target.{name}]"),
        entries: vec![Entry::text("transport", name)],
        inner: Some((format!("[target.{name}.connection_info]"), inner)),
        ..Block::default()
    }
}

/// What a definition is for, and an entry for each of such attributes. Those that no value in the file fits are named.
fn described(
    definition: &Definition,
    is_such: impl Fn(&&Attribute) -> bool,
) -> (Vec<String>, Vec<Entry>) {
    let mut about = vec![first_line(definition.desc.as_deref())];
    let mut entries = Vec::new();
    for one in definition.attributes.iter().filter(is_such) {
        match attribute(one) {
            Some(entry) => entries.push(entry),
            None => about.push(format!(
                "`{}`, {}: this file has no value of this type",
                one.name,
                one.type_text.as_deref().unwrap_or_default().trim()
            )),
        }
    }
    (about, entries)
}

fn first_line(text: Option<&str>) -> String {
    let mut lines = text.unwrap_or_default().lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty());
    first.unwrap_or_default().to_owned()
}

/// An attribute with a value, its type and its description. `None` if the file cannot have such a value.
fn attribute(attribute: &Attribute) -> Option<Entry> {
    let own = attribute.data_type.as_ref();
    // A type that is at fault shows by its words what is meant.
    let text = attribute.type_text.as_deref().unwrap_or_default().trim();
    let inner = text.strip_prefix("Optional[");
    let is_optional = attribute.default.is_some()
        || own.map_or(inner.is_some(), |own| matches!(own, Type::Optional(_)));
    let default = attribute.default.as_ref();
    let default = default.filter(|value| own.is_none_or(|own| fits(own, value)));
    let suggested = match default {
        Some(default) if is_writable(default) => Suggestion::known(default.clone()),
        _ => match own {
            Some(own) => suggestion(own)?,
            None => shape(inner.unwrap_or(text)),
        },
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
    Some(if is_optional { entry.optional() } else { entry })
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
        let all = definition.title_patterns.as_deref().unwrap_or_default();
        let fitting = samples
            .iter()
            .filter(|sample| is_title(definition, all, sample));
        let plainest = fitting.min_by_key(|sample| oddness(sample));
        let plainest = plainest.or_else(|| samples.iter().min_by_key(|sample| oddness(sample)));
        let names = definition.namevars().join(", ");
        let desc = desc.map(|desc| desc.split_whitespace().collect::<Vec<_>>().join(" "));
        let desc = desc.filter(|desc| !desc.is_empty());
        let about = desc.unwrap_or_else(|| format!("/{}/", pattern.source()));
        return (
            plainest.map_or_else(|| MARK.to_owned(), Clone::clone),
            format!("namevars {names}: {}", about.replace('\n', " ")),
        );
    }
    let value = attribute
        .and_then(|one| one.data_type.as_ref())
        .and_then(suggestion);
    let text = value.map_or_else(|| MARK.to_owned(), |one| one.value.to_text());
    let name = first.unwrap_or_else(|| "the title".to_owned());
    (text, format!("{name}, {}", type_text.unwrap_or_default()))
}

/// Does a title give each namevar a value of its type?
fn is_title(definition: &Definition, all: &[titles::TitlePattern], title: &str) -> bool {
    let Ok(titles::Title::Matched { namevars, .. }) = titles::first_match(all, title) else {
        return false;
    };
    namevars.into_iter().all(|capture| {
        let own = definition.attribute(&capture.name);
        let own = own.and_then(|one| one.data_type.as_ref());
        let value = capture.text.map_or(Value::Undef, Value::string);
        own.is_none_or(|own| !own.matches(&value).is_no())
    })
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

/// A value of a type that the file can have.
fn suggestion(of: &Type) -> Option<Suggestion> {
    if let Some(usual) = usual(of).filter(|one| fits(of, &one.value)) {
        return Some(usual);
    }
    let mut dice = Dice::new(1, "init");
    let all = (0..TRIES).filter_map(|_| generate::valid(of, &mut dice));
    let fitting = all.map(plain).filter(|value| fits(of, value));
    let value = fitting.min_by_key(|value| oddness(&value.to_text()))?;
    Some(Suggestion {
        value,
        is_certain: false,
    })
}

/// A value that a person would write, without regard to sizes.
fn usual(of: &Type) -> Option<Suggestion> {
    let unsure = |value| {
        Some(Suggestion {
            value,
            is_certain: false,
        })
    };
    match of {
        // Puppet's first state is the one that makes something.
        Type::Enum { values, .. } if values.iter().any(|one| one == "present") => {
            Some(Suggestion::known(Value::string("present")))
        }
        Type::Enum { values, .. } => {
            let first = values.first()?;
            Some(Suggestion::known(Value::string(first.as_str())))
        }
        Type::Boolean(only) => Some(Suggestion::known(Value::Bool(only.unwrap_or(true)))),
        Type::Float(_) => unsure(Value::Float(1.5)),
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) | Type::Sensitive(inner) => {
            suggestion(inner)
        }
        Type::Variant(types) => types.iter().find_map(suggestion),
        Type::Array { element, .. } => unsure(Value::Array(vec![suggestion(element)?.value])),
        Type::Struct(members) => {
            let members = members.iter().filter_map(|one| {
                Some((
                    Value::string(one.name.as_str()),
                    suggestion(&one.value)?.value,
                ))
            });
            unsure(Value::Hash(members.collect()))
        }
        other => {
            let plain = [
                Value::string(MARK),
                Value::integer(1),
                Value::Hash(Vec::new()),
            ];
            let mut plain = plain.into_iter();
            unsure(plain.find(|value| other.matches(value).is_yes())?)
        }
    }
}

/// Is a value, as the file has it, one of a type?
fn fits(of: &Type, value: &Value) -> bool {
    is_writable(value) && !of.matches(&wrapped(of, plain(value.clone()))).is_no()
}

/// Can the file have a value?
fn is_writable(value: &Value) -> bool {
    match value {
        Value::Bool(_) | Value::String(_) => true,
        // TOML has whole numbers of 64 bits.
        Value::Integer(number) => number.to_string().parse::<i64>().is_ok(),
        Value::Float(number) => number.is_finite(),
        Value::Array(items) => items.iter().all(is_writable),
        Value::Hash(pairs) => pairs
            .iter()
            .all(|(key, value)| key.as_str().is_some() && is_writable(value)),
        Value::Sensitive(inner) => is_writable(inner),
        _ => false,
    }
}

/// A value as authors write it, who need not say what is secret.
fn plain(value: Value) -> Value {
    match value {
        Value::Sensitive(inner) => plain(*inner),
        Value::Array(items) => Value::Array(items.into_iter().map(plain).collect()),
        Value::Hash(pairs) => {
            let pairs = pairs.into_iter();
            Value::Hash(pairs.map(|(key, value)| (key, plain(value))).collect())
        }
        other => other,
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
