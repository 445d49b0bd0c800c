//! Functions of containers, and those that take each element in turn.

use super::collect::primitives;
use super::{Done, arg, class, is_unresolved, list, string};
use crate::context::Agent;
use crate::data::{self, Data};
use crate::expand::THIS;
use crate::mustache::{self, Broken};
use crate::number;
use crate::scan;
use crate::stop::Stop;
use crate::value::{Call, Kind, Text, Value};
use indexmap::IndexMap;

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

/// `validjson(text)`, `validdata(text, kind)`: what stands behind the JSON
/// makes no difference.
pub(super) fn validjson(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let read = data::parse(arg(arguments, 0));
    if let Err(broken) = &read {
        agent.verbose(|| format!("{name}: {broken}"));
    }
    class(read.is_ok())
}

/// `readjson(path, most)`
pub(super) fn readjson(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let path = arg(arguments, 0);
    let most = match arguments.get(1) {
        Some(_) => agent.int(arg(arguments, 1)).unwrap_or(0),
        None => number::INFINITE,
    };
    let Ok(content) = agent.read_bytes(path) else {
        agent.complain(format!(
            "{name}: data error parsing JSON file '{path}': No such file or directory"
        ));
        return Ok(None);
    };
    // A limit below zero is one beyond all sizes there.
    if usize::try_from(most).is_ok_and(|most| content.len() > most) {
        agent.complain(format!(
            "{name}: error parsing JSON file '{path}': Unable to parse JSON without truncating"
        ));
        return Ok(None);
    }
    match data::parse(&stickler_policy::text::decode(&content)) {
        Ok((data, _)) if data.is_container() => return give(data),
        Ok(_) => agent.complain(format!(
            "{name}: non-container from parsing JSON file '{path}'"
        )),
        Err(broken) => {
            let kind = if broken.why == data::NO_DATA {
                "data error"
            } else {
                "error"
            };
            agent.complain(format!(
                "{name}: {kind} parsing JSON file '{path}': {broken}"
            ));
        }
    }
    Ok(None)
}

pub(super) fn mergedata(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
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
        let data = data.copied();
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

/// The first index behind those that the name has already.
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
    fn gather(data: &Data, out: &mut Vec<Text>) {
        match data {
            Data::Array(_) | Data::Object(_) => data.children().for_each(|c| gather(c, out)),
            other => out.extend(other.iterated()),
        }
    }
    let mut out = Vec::new();
    gather(&data, &mut out);
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

fn expand(agent: &mut Agent, data: &Data) -> crate::stop::Step<Data> {
    Ok(match data {
        Data::String(text) => Data::String(agent.expand_text(text, THIS)?),
        Data::Array(items) => {
            let items = items.iter().map(|item| expand(agent, item));
            Data::Array(items.collect::<Result<_, _>>()?)
        }
        Data::Object(members) => {
            let mut out = IndexMap::new();
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
    let reference = agent.name_of(arg(arguments, 0));
    let detail = matches!(arg(arguments, 1), "true" | "yes" | "on");
    let word = match agent.find_value(&reference) {
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
        Some((kind, _)) if detail && !kind.is_iterable() => format!("policy {}", kind.word()),
        Some((kind, _)) if detail => format!("policy {}", kind.word()),
        Some((kind, _)) => kind.word().to_owned(),
    };
    string(word)
}

/// The first argument for each element of the second, which `$(this)` is.
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
        match mapped? {
            Some(text) if !text.contains("$(this)") && !text.contains("${this}") => out.push(text),
            _ => return Ok(None),
        }
    }
    list(out)
}

fn mapped(agent: &mut Agent, call: &Call) -> crate::stop::Step<Option<Text>> {
    let first = Call {
        name: call.name.clone(),
        arguments: call.arguments[..1].to_vec(),
    };
    let expanded = agent.expanded_arguments(&first, true)?;
    let Some(text) = expanded.first().and_then(Value::scalar) else {
        return Ok(None);
    };
    Ok(Some(agent.expand_text(text, THIS)?))
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
    let how = if own == 1 {
        arg(&expanded, 0).to_owned()
    } else {
        "none".to_owned()
    };
    let Some(from) = expanded
        .get(own + 1)
        .filter(|from| !is_unresolved(std::slice::from_ref(from)))
    else {
        return Ok(None);
    };
    let Some(data) = agent.collect_container(name, from) else {
        return Ok(None);
    };
    let template = Call {
        name: name.into(),
        arguments: vec![call.arguments[own].clone()],
    };
    let mut out = Vec::new();
    for (key, child) in data.indices().into_iter().zip(data.children()) {
        let rows: Vec<(Option<Text>, Data)> = match child {
            Data::Array(_) | Data::Object(_) => child
                .indices()
                .into_iter()
                .zip(child.children())
                .map(|(inner, value)| (Some(inner), value.clone()))
                .collect(),
            other => vec![(None, other.clone())],
        };
        for (inner, value) in rows {
            let Some(text) = value.primitive() else {
                continue;
            };
            agent.put_this("k", Kind::String, Value::Scalar(key.clone()));
            if let Some(inner) = inner {
                agent.put_this("k[1]", Kind::String, Value::Scalar(inner));
            }
            agent.put_this("v", Kind::String, Value::Scalar(text));
            let mapped = mapped(agent, &template);
            agent.remove_this("k");
            agent.remove_this("v");
            match mapped? {
                Some(text) if !scan::has_scalars(&text) => out.push(text),
                _ => return Ok(None),
            }
        }
    }
    if own == 0 {
        return list(out);
    }
    let mut items = Vec::with_capacity(out.len());
    for text in out {
        items.push(match &*how {
            "json" => match data::parse(&text) {
                Ok((data, _)) => data,
                Err(_) => return Ok(None),
            },
            _ => Data::String(text),
        });
    }
    give(Data::Array(items))
}

/// `readenvfile(path)`: `NAME=value` lines.
pub(super) fn readenvfile(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let Some(content) = agent.read_text(arg(arguments, 0)) else {
        return Ok(None);
    };
    let lines = content.lines().map(str::trim);
    let pairs = lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let (name, value) = line.split_once('=')?;
            let value = value.trim();
            let inner = ['"', '\'']
                .into_iter()
                .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
            Some((Text::from(name.trim()), Data::text(inner.unwrap_or(value))))
        });
    give(Data::Object(pairs.collect()))
}

/// `string_mustache(template, container)`; without one, all that is known.
pub(super) fn string_mustache(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let data = match arguments.get(1) {
        Some(argument) => agent.collect(name, argument, false),
        None => Some(super::names::state(agent)),
    };
    let Some(data) = data else {
        return Ok(None);
    };
    let most = agent.options.limits.text;
    match mustache::render(arg(arguments, 0), &data, most) {
        Ok(text) => string(text),
        Err(Broken::Template(level, message)) => {
            agent.say(level, message);
            Ok(None)
        }
        Err(Broken::TooLong) => Err(Stop::Limit(format!("a template grows beyond {most} bytes"))),
    }
}
