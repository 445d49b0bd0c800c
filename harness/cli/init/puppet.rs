//! A starter `stickler.toml` for a Puppet module: an example of each type, from its definition.

use crate::args::{InitArgs, PuppetArgs};
use crate::failure::{Done, Failure};
use crate::puppet::{Console, describe, failure, start};
use crate::terminal;
use puppet_protocol::{Answer, aliases};
use puppet_runtime::{Fault, Host, HostError, Strict};
use puppet_suite::{Process, VOCABULARY, find};
use puppet_types::{
    Aliases, Attribute, Behaviour, Definition, Dice, Type, Value, generate, titles,
};
use std::path::Path;
use stickler_judge::Exit;
use stickler_suite::config;

/// What an author has to fill in.
const MARK: &str = "TODO";

/// Writes the file.
pub fn run(args: &InitArgs, folder: &Path) -> Done {
    if args.policy.is_some() || !args.promise_types.is_empty() {
        return Err(Failure::usage(
            "--policy and --promise-type are for promise modules",
        ));
    }
    let to_stdout = args.output.as_os_str() == "-";
    // The description lies in the module's root.
    let output = match args.output.is_relative() && !to_stdout {
        true => folder.join(&args.output),
        false => args.output.clone(),
    };
    if !to_stdout && output.exists() && !args.force {
        return Err(Failure::usage(format!(
            "{} already exists\n  --force overwrites it; --output FILE writes another file",
            output.display()
        )));
    }
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
    describe(&runtime)?;
    let console = Console::new(&runtime);
    let mut process = start(&runtime, &console)?.process;
    let mut text = format!(
        "#:schema {}\n\
         ## Describes a Puppet module for Stickler. `stickler check` reads this file.\n\
         ## Lines that start with one `#` are suggestions: fill in what is marked {MARK}, and remove \
         the `#`.\n\n\
         [subject]\ndialect = \"resource-api\"\npath = \".\"\n",
        config::schema_address(&puppet_suite::VOCABULARY)
    );
    let mut types = 0;
    for name in &found.types {
        let Some(definition) = load(&mut process, "type", name)? else {
            continue;
        };
        types += 1;
        text += &example(&definition, &found.transports);
    }
    for name in &found.transports {
        if let Some(schema) = load(&mut process, "transport", name)? {
            text += &target(name, &schema);
        }
    }
    // The text must be readable as a configuration, and with its suggestions too.
    let filled: Vec<&str> = text
        .lines()
        .map(|line| line.strip_prefix("# ").unwrap_or(line))
        .collect();
    for text in [&text, &filled.join("\n")] {
        config::from_text(&output, text, &VOCABULARY).map_err(|error| {
            Failure::harness(format!("the starter file is not readable: {error}"))
        })?;
    }
    if to_stdout {
        terminal::print(&text)?;
        return Ok(Exit::Success);
    }
    std::fs::write(&output, &text).map_err(|error| {
        Failure::usage(format!("{}: cannot be written: {error}", output.display()))
    })?;
    terminal::print(format!(
        "wrote {} with a suggestion for {}\n\n\
         next: fill in what is marked {MARK}, remove the `#`, and run `stickler check`\n",
        output.display(),
        stickler_report::count(types, "type"),
    ))?;
    Ok(Exit::Success)
}

/// The definition of a type or of a transport. `None` if the host cannot load it, which is told.
fn load(process: &mut Process, what: &str, name: &str) -> Result<Option<Definition>, Failure> {
    let params = Value::hash([(what, Value::string(name))]);
    let host = |error: HostError| failure(Fault::Host(error), "init");
    let exchange = process.request("load", params).map_err(host)?;
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

/// An example of a type, as comments.
fn example(definition: &Definition, transports: &[String]) -> String {
    let name = definition.name.as_deref().unwrap_or_default();
    let mut lines = vec![
        "[[example]]".to_owned(),
        format!("name = {}", quoted(&format!("an example of {name}"))),
        format!("type = {}", quoted(name)),
    ];
    let (title, why) = title(definition);
    lines.push(format!("title = {}  # {MARK}: {why}", quoted(&title)));
    if definition.has_feature("remote_resource") {
        lines.push(match transports.first() {
            Some(transport) => format!("target = {}", quoted(transport)),
            None => format!("# target = \"{MARK}\"  # {MARK}: a device, and [target.{MARK}]"),
        });
    }
    lines.push("expect = [\"changed\", \"ok\"]".to_owned());
    lines.push("[example.attributes]".to_owned());
    for attribute in &definition.attributes {
        if matches!(
            attribute.behaviour,
            Behaviour::Namevar | Behaviour::ReadOnly
        ) {
            continue;
        }
        lines.push(attribute_line(attribute));
    }
    commented(definition.desc.as_deref(), &lines)
}

/// A device, as comments.
fn target(name: &str, schema: &Definition) -> String {
    let mut lines = vec![
        format!("[target.{name}]"),
        format!("transport = {}", quoted(name)),
        format!("[target.{name}.connection_info]"),
    ];
    lines.extend(schema.attributes.iter().map(attribute_line));
    commented(schema.desc.as_deref(), &lines)
}

fn commented(desc: Option<&str>, lines: &[String]) -> String {
    let desc = desc.and_then(|desc| desc.lines().map(str::trim).find(|line| !line.is_empty()));
    let mut text = "\n".to_owned();
    if let Some(desc) = desc {
        text += &format!("## {desc}\n");
    }
    for line in lines {
        text += &format!("# {line}\n");
    }
    text
}

/// A line with a value; that of an optional attribute is a comment within the comment.
fn attribute_line(attribute: &Attribute) -> String {
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
    let mut about = Vec::new();
    if !suggested.is_certain {
        about.push(format!("{MARK}:"));
    }
    about.extend(attribute.type_text.clone());
    let desc = attribute.desc.as_deref().unwrap_or_default();
    about.extend(
        desc.lines()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .map(str::to_owned),
    );
    let start = if is_optional { "# " } else { "" };
    let about = about.join(" ");
    let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
    format!(
        "{start}{} = {}  # {about}",
        key(&attribute.name),
        toml(&suggested.value)
    )
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
            let pairs = pairs.iter();
            let pairs: Vec<String> = pairs
                .map(|(name, value)| format!("{} = {}", quoted(&name.to_text()), toml(value)))
                .collect();
            match pairs.is_empty() {
                true => "{}".to_owned(),
                false => format!("{{ {} }}", pairs.join(", ")),
            }
        }
        Value::Sensitive(inner) => toml(inner),
        other => quoted(&other.to_text()),
    }
}

/// A string of TOML: those of JSON are that, too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('\u{7f}', "\\u007f")
}

fn key(name: &str) -> String {
    let is_bare = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '-';
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => quoted(name),
    }
}
