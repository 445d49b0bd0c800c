//! Functions of containers, and functions that map over each element.

use super::collect::primitives;
use super::{Done, arg, class, csv, is_true, is_unresolved, list, string};
use crate::context::Agent;
use crate::data::{self, Data};
use crate::expand::NOWHERE;
use crate::expand::THIS;
use crate::log::Severity;
use crate::map::Map;
use crate::mustache::{self, Broken};
use crate::number;
use crate::scan;
use crate::stop::{Step, Stop};
use crate::value::{Call, Kind, Text, Value};
use std::io::ErrorKind;

fn give(data: Data) -> Done {
    Ok(Some(Value::data(data)))
}

pub(super) fn parsejson(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let text = arg(arguments, 0);
    match agent.parse_with_variables(text) {
        Ok((data, _)) if data.is_container() => return give(data),
        Ok((_, length)) => {
            let rest = text.get(length - 1..).unwrap_or_default();
            agent.complain(format!(
                "Non-container from parsing JSON expression '{rest}'"
            ));
        }
        Err(broken) => {
            let rest = text.get(broken.at..).unwrap_or_default();
            agent.complain(format!("Error parsing JSON expression '{rest}': {broken}"));
        }
    }
    Ok(None)
}

pub(super) fn parseyaml(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let text = arg(arguments, 0);
    match data::parse_yaml(text) {
        Ok(data) if data.is_container() => return give(data),
        Ok(_) => agent.complain(format!(
            "Non-container from parsing YAML expression '{text}'"
        )),
        Err(broken) => {
            agent.complain(format!("Error parsing YAML expression '{text}': {broken}"));
        }
    }
    Ok(None)
}

/// `validjson(text)`, `validdata(text, kind)`: text after the JSON is ignored.
pub(super) fn validjson(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    if arguments.is_empty() {
        agent.complain(format!("Function '{name}' requires one argument"));
        return Ok(None);
    }
    let read = data::parse(arg(arguments, 0), agent.release());
    if let Err(broken) = &read {
        agent.verbose(|| format!("{name}: {broken}"));
    }
    class(read.is_ok())
}

/// The format of a data file.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum FileKind {
    Csv,
    Env,
    Json,
    Yaml,
    /// Read as JSON.
    Unknown,
}

impl FileKind {
    /// The format that a file's extension names; otherwise JSON.
    pub(crate) fn of(path: &str) -> Self {
        let path = path.to_ascii_lowercase();
        match path.rsplit_once('.') {
            Some((_, "csv")) => Self::Csv,
            Some((_, "yaml" | "yml")) => Self::Yaml,
            Some((_, "env")) => Self::Env,
            _ => Self::Json,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Env => "ENV",
            Self::Json => "JSON",
            Self::Yaml => "YAML",
            Self::Unknown => "unknown",
        }
    }
}

/// `readjson`, `readyaml`, `readcsv`, `readenvfile`, each with a path and a limit,
/// and `readdata(path, kind)`
pub(super) fn readdata(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let path = arg(arguments, 0);
    let kind = match (name, &*arg(arguments, 1).to_ascii_lowercase()) {
        ("readcsv", _) | ("readdata", "csv") => FileKind::Csv,
        ("readenvfile", _) | ("readdata", "env") => FileKind::Env,
        ("readyaml", _) | ("readdata", "yaml") => FileKind::Yaml,
        ("readdata", "") => FileKind::Unknown,
        ("readdata", "auto") => {
            let kind = FileKind::of(path);
            agent.verbose(|| {
                let kind = kind.word();
                format!("{name}: automatically selected data type {kind} from filename {path}")
            });
            kind
        }
        _ => FileKind::Json,
    };
    let most = match arguments.get(1) {
        Some(_) if name != "readdata" => agent.int_or_none(arg(arguments, 1)),
        _ => number::INFINITE,
    };
    let data = agent.read_data(name, path, kind, most)?;
    Ok(data.map(Value::data))
}

impl Agent {
    /// The lines that fit into a limit of bytes.
    fn lines_within<'t>(
        &mut self,
        lines: impl Iterator<Item = &'t str>,
        most: usize,
        (reader, kind, path): (&str, FileKind, &str),
    ) -> Vec<&'t str> {
        let mut left = most;
        let mut kept = Vec::new();
        for line in lines {
            let length = cfengine_policy::text::encode(line).len();
            let Some(rest) = left.checked_sub(length) else {
                let (word, number) = (kind.word(), kept.len() + 1);
                self.verbose(|| {
                    format!(
                        "{reader}: {word} file '{path}' exceeded byte limit {most} at line {number}"
                    )
                });
                self.verbose(|| format!("Done with {word} file, the rest will not be parsed"));
                break;
            };
            left = rest;
            kept.push(line);
        }
        kept
    }

    /// Reads a data file; reports what is wrong with it.
    pub(crate) fn read_data(
        &mut self,
        name: &str,
        path: &str,
        kind: FileKind,
        most: i64,
    ) -> Step<Option<Data>> {
        let word = kind.word();
        let content = match (self.read_bytes(path), kind) {
            (Ok(content), _) => content,
            (Err(error), FileKind::Csv | FileKind::Env) => {
                let (reader, what, reads) = match kind {
                    FileKind::Csv => ("JsonParseCsvFile", "csv", "unable to read line from"),
                    _ => ("JsonParseEnvFile", "ENV", "failed to read"),
                };
                let reason = crate::machine::reason(&error);
                if error.kind() == ErrorKind::IsADirectory {
                    self.complain(format!(
                        "{reader}: {reads} {word} file '{path}'. (fread: {reason})"
                    ));
                    return Ok(None);
                }
                self.verbose(|| {
                    format!("{reader} cannot open the {what} file '{path}' (fopen: {reason})")
                });
                return Ok(None);
            }
            (Err(_), _) => {
                self.complain(format!(
                    "{name}: data error parsing {word} file '{path}': No such file or directory"
                ));
                return Ok(None);
            }
        };
        // cf-agent treats a negative limit as no limit.
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let text = cfengine_policy::text::decode(&content);
        match kind {
            FileKind::Csv => {
                let lines =
                    self.lines_within(csv::lines(&text), most, ("JsonParseCsvFile", kind, path));
                let table = csv::table(&lines);
                if table.is_empty() {
                    for message in [
                        &*format!(
                            "JsonParseCsvFile: CSV file '{path}' is not empty, but nothing was parsed"
                        ),
                        "Make sure the file contains DOS (CRLF) line endings",
                    ] {
                        self.say(Severity::Warning, message);
                    }
                }
                return Ok(Some(table));
            }
            FileKind::Env => {
                let lines =
                    self.lines_within(scan::lines(&text), most, ("JsonParseEnvFile", kind, path));
                return Ok(Some(environment(&lines)));
            }
            _ if content.len() > most => {
                self.complain(format!(
                    "{name}: error parsing {word} file '{path}': Unable to parse JSON without truncating"
                ));
                return Ok(None);
            }
            _ => {}
        }
        let text = scan::until_zero(&text);
        let read = match kind {
            FileKind::Yaml => data::parse_yaml(text),
            _ => data::parse(text, self.release()).map(|(data, _)| data),
        };
        match read {
            Ok(data) if data.is_container() => return Ok(Some(data)),
            Ok(_) => self.complain(format!(
                "{name}: non-container from parsing {word} file '{path}'"
            )),
            Err(broken) => {
                let what = if broken.why == data::NO_DATA {
                    "data error"
                } else {
                    "error"
                };
                self.complain(format!(
                    "{name}: {what} parsing {word} file '{path}': {broken}"
                ));
            }
        }
        Ok(None)
    }
}

pub(super) fn mergedata(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    if arguments.is_empty() {
        let message =
            format!("{name} needs at least one argument, a reference to a container variable");
        agent.complain(message);
        return Ok(None);
    }
    let mut merged: Option<Data> = None;
    for argument in arguments {
        let Some(data) = agent.collect(name, argument, false) else {
            return Ok(None);
        };
        if !data.is_container() {
            let message = format!(
                "{} is not mergeable as it it not a container",
                argument.show(false)
            );
            agent.complain(message);
            return Ok(None);
        }
        let data = agent.copied(data)?;
        merged = Some(match merged {
            Some(before) => before.merged(data),
            None => data,
        });
    }
    match merged {
        Some(data) => give(data),
        None => Ok(None),
    }
}

pub(super) fn getindices(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let data = match &arguments[0] {
        Value::Scalar(text) => {
            let reference = agent.name_of(text);
            let is_data = agent
                .find(&reference)
                .is_some_and(|found| found.kind() == Kind::Data);
            if is_data {
                agent.variable_data(&reference, true)
            } else {
                match agent.parse_with_variables(text) {
                    Ok((data, _)) if data.is_container() => Some(data),
                    _ => return array_indices(agent, &reference),
                }
            }
        }
        other => agent.collect(name, other, true),
    };
    match data {
        Some(data) => list(data.indices()),
        None => Ok(None),
    }
}

/// The next index level of all elements below a reference.
fn array_indices(agent: &mut Agent, reference: &crate::context::Reference) -> Done {
    let depth = reference.indices.len();
    let mut keys: Vec<Text> = Vec::new();
    for (found, _) in agent.elements(reference) {
        if !keys.contains(&found.indices[depth]) {
            keys.push(found.indices[depth].clone());
        }
    }
    list(keys)
}

pub(super) fn getvalues(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let Some(data) = agent.collect(name, &arguments[0], true) else {
        return list(Vec::<Text>::new());
    };
    fn gather(agent: &mut Agent, data: &Data, out: &mut Vec<Text>) -> Step<()> {
        if data.is_container() {
            return data
                .children()
                .try_for_each(|child| gather(agent, child, out));
        }
        out.extend(agent.iterated(data)?);
        Ok(())
    }
    let mut out = Vec::new();
    gather(agent, &data, &mut out)?;
    list(out)
}

pub(super) fn storejson(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    match agent.collect(name, &arguments[0], false) {
        Some(data) => string(data.pretty()),
        None => Ok(None),
    }
}

/// Expands variables in all strings of a container.
pub(super) fn data_expand(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let Some(data) = agent.collect(name, &arguments[0], false) else {
        return Ok(None);
    };
    let data = expand(agent, &data)?;
    give(data)
}

fn expand(agent: &mut Agent, data: &Data) -> Step<Data> {
    Ok(match data {
        Data::String(text) => Data::String(agent.expand_text(text, THIS)?),
        Data::Array(items) => {
            let items = items.iter().map(|item| expand(agent, item));
            Data::Array(items.collect::<Result<_, _>>()?)
        }
        Data::Object(members) => {
            let mut out = Map::default();
            for (key, value) in members {
                out.insert(agent.expand_text(key, THIS)?, expand(agent, value)?);
            }
            Data::Object(out)
        }
        other => other.clone(),
    })
}

/// `data_regextract(pattern, text)`
pub(super) fn data_regextract(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let groups = agent
        .patterns
        .named_groups(arg(arguments, 0), arg(arguments, 1));
    match groups {
        Some(groups) => {
            let members = groups
                .into_iter()
                .map(|(name, text)| (Text::from(name), Data::text(text)));
            give(Data::Object(members.collect()))
        }
        None => Ok(None),
    }
}

/// `type(name, detail)`
pub(super) fn kind(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    // Unlike in other functions, `@(name)` does not name a variable here.
    let reference = agent.reference(arg(arguments, 0), NOWHERE);
    let reference = agent.of_caller(reference);
    let detail = is_true(arguments, 1);
    let word = match agent.find_value(&reference) {
        None if detail => "policy none".to_owned(),
        None => "none".to_owned(),
        Some((Kind::Data, Value::Data(data))) if detail => {
            let kind = match &*data {
                Data::Array(_) => "array",
                Data::Object(_) => "object",
                Data::Null => "null",
                Data::Bool(_) => "boolean",
                Data::Int(_) => "int",
                Data::Real(_) => "real",
                Data::String(_) => "string",
            };
            format!("data {kind}")
        }
        Some((kind, _)) if detail => format!("policy {}", kind.word()),
        Some((kind, _)) => kind.word().to_owned(),
    };
    string(word)
}

/// Expands the first argument for each element of the second; `$(this)` is the element.
pub(super) fn maplist(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let call = Call {
        name: "maplist".into(),
        arguments: arguments.to_vec(),
    };
    let expanded = agent.expanded_arguments(&call, true)?;
    let Some(from) = expanded
        .get(1)
        .filter(|from| !is_unresolved(std::slice::from_ref(from)))
    else {
        return Ok(None);
    };
    let Some(data) = agent.collect_container("maplist", from) else {
        return Ok(None);
    };
    let mut out = Vec::new();
    for text in primitives(&data) {
        agent.put_this("this", Kind::String, Value::Scalar(text));
        let mapped = mapped(agent, &call);
        agent.remove_this("this");
        let text = mapped?;
        if text.contains("$(this)") || text.contains("${this}") {
            return Ok(None);
        }
        out.push(text);
    }
    list(out)
}

/// The text used for a value that has none, for example a failed call.
const NOT_PRINTABLE: &str = "[not printable]";

fn mapped(agent: &mut Agent, call: &Call) -> Step<Text> {
    let first = Call {
        name: call.name.clone(),
        arguments: call.arguments[..1].to_vec(),
    };
    let expanded = agent.expanded_arguments(&first, true)?;
    let text = expanded.first().and_then(Value::scalar).cloned();
    let text = text.unwrap_or_else(|| NOT_PRINTABLE.into());
    agent.expand_text(&text, THIS)
}

/// An element that `maparray` and `mapdata` visit.
struct Row {
    key: Text,
    /// The key within the element, if the element is an object.
    inner: Option<Text>,
    value: Text,
    /// Whether it is inside an element that is a container; then duplicate results are dropped.
    nested: bool,
}

fn rows(data: &Data) -> Vec<Row> {
    let mut out = Vec::new();
    for (key, child) in data.indices().into_iter().zip(data.children()) {
        let nested = child.is_container();
        let named = matches!(child, Data::Object(_));
        let elements: Vec<_> = if nested {
            let elements = child.indices().into_iter().zip(child.children());
            elements
                .filter(|(_, value)| **value != Data::Null)
                .collect()
        } else {
            vec![("".into(), child)]
        };
        for (inner, value) in elements {
            if let Some(value) = value.primitive() {
                let inner = Some(inner).filter(|_| named);
                let key = key.clone();
                out.push(Row {
                    key,
                    inner,
                    value,
                    nested,
                });
            }
        }
    }
    out
}

/// `maparray(text, container)` and `mapdata(how, text, container)`:
/// `$(this.k)` and `$(this.v)` are an element's key and value.
pub(super) fn mapdata(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let call = Call {
        name: name.into(),
        arguments: arguments.to_vec(),
    };
    let own = usize::from(name == "mapdata");
    let expanded = agent.expanded_arguments(&call, true)?;
    let how = if own == 1 { arg(&expanded, 0) } else { "none" };
    let Some(from) = expanded
        .get(own + 1)
        .filter(|from| !is_unresolved(std::slice::from_ref(from)))
    else {
        return Ok(None);
    };
    let Some(data) = agent.collect(name, from, false) else {
        return Ok(None);
    };
    if !data.is_container() {
        let shown = from.show(false);
        agent.complain(format!(
            "Function '{name}' got an unexpected non-container from argument '{shown}'"
        ));
        return Ok(None);
    }
    if how == "json_pipe" {
        return agent.json_pipe(arg(&expanded, own), &data);
    }
    let template = Call {
        name: name.into(),
        arguments: vec![call.arguments[own].clone()],
    };
    // Quotes need a backslash within JSON.
    let put = |text: Text| match how {
        "json" => Value::text(text.replace('"', "\\\"")),
        _ => Value::Scalar(text),
    };
    let mut out: Vec<Text> = Vec::new();
    let data = agent.copied(data)?;
    for row in rows(&data) {
        agent.put_this("k", Kind::String, put(row.key));
        let has_inner = row.inner.is_some();
        if let Some(inner) = row.inner {
            agent.put_this("k[1]", Kind::String, put(inner));
        }
        agent.put_this("v", Kind::String, put(row.value));
        let mapped = mapped(agent, &template);
        agent.remove_this("k");
        if has_inner {
            agent.remove_this("k[1]");
        }
        agent.remove_this("v");
        let text = mapped?;
        let stays = |name: &str| {
            text.contains(&format!("$(this.{name})")) || text.contains(&format!("${{this.{name}}}"))
        };
        if stays("k") || stays("v") || has_inner && stays("k[1]") {
            return Ok(None);
        }
        let text = match how {
            "canonify" => scan::canonify(&text).into(),
            _ => text,
        };
        if !row.nested || !out.contains(&text) {
            out.push(text);
        }
    }
    if own == 0 {
        return list(out);
    }
    let mut items = Vec::with_capacity(out.len());
    for text in out {
        if how != "json" {
            items.push(Data::String(text));
            continue;
        }
        match agent.parse_with_variables(&text) {
            Ok((data, _)) => items.push(data),
            Err(broken) => {
                let rest = text.get(broken.at..).unwrap_or_default();
                agent.verbose(|| {
                    format!("Function '{name}' could not parse dynamic JSON '{rest}', skipping it")
                });
            }
        }
    }
    give(Data::Array(items))
}

/// `NAME=value` lines.
fn environment(lines: &[&str]) -> Data {
    let lines = lines.iter().map(|line| line.trim());
    let pairs = lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let (name, value) = line.split_once('=').filter(|(name, _)| !name.is_empty())?;
            Some((Text::from(name.trim()), Data::text(unquoted(value.trim())?)))
        });
    let mut members = Map::default();
    for (name, value) in pairs {
        members.shift_remove(&name);
        members.insert(name, value);
    }
    Data::Object(members)
}

/// A value without its surrounding quotes and its backslashes; `None` if an unquoted value contains
/// a quote.
fn unquoted(value: &str) -> Option<String> {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let mut chars = value.chars().skip(usize::from(quote.is_some()));
    let mut out = String::new();
    while let Some(c) = chars.next() {
        match c {
            _ if Some(c) == quote => break,
            '"' | '\'' if quote.is_none() => return None,
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => break,
            },
            other => out.push(other),
        }
    }
    Some(out)
}

/// `string_mustache(template, container)`; without a container, the data is the whole state.
pub(super) fn string_mustache(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let data = match arguments.get(1) {
        Some(argument) => agent.collect(name, argument, false),
        None => Some(super::names::state(agent)),
    };
    let Some(data) = data else {
        return Ok(None);
    };
    let most = agent.voice.options.limits.text;
    match mustache::render(arg(arguments, 0), &data, most) {
        Ok(text) => string(text),
        Err(Broken::Template(said)) => {
            for (level, message) in said {
                agent.say(level, message);
            }
            Ok(None)
        }
        Err(Broken::Number(uncopied)) => Err(agent.uncopied(&uncopied)),
        Err(Broken::TooLong) => Err(Stop::Limit(format!("a template grows beyond {most} bytes"))),
    }
}
