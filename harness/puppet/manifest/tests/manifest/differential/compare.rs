//! Compares what both made of a manifest.

use super::peer::{Compiled, Peer, Refused};
use puppet_manifest::{Catalog, Error, Kind, Parameter, Resource, compile, read_catalog};
use puppet_types::Value;

/// At most so many differences are shown.
const SHOWN: usize = 12;

#[derive(Default)]
pub struct Tally {
    pub asked: usize,
    pub accepted: usize,
    pub refused: usize,
    pub unsupported: usize,
    different: Vec<String>,
    /// What this crate refuses, and why.
    pub refusals: Vec<String>,
    /// What both accept.
    pub accepted_texts: Vec<String>,
}

impl Tally {
    pub fn differs(&mut self, text: &str, what: &str) {
        self.different.push(format!("{text}\n    {what}"));
    }

    pub fn check(&self) {
        let shown = &self.different[..self.different.len().min(SHOWN)];
        assert!(
            shown.is_empty(),
            "{} differences in {} manifests, such as\n{}",
            self.different.len(),
            self.asked,
            shown.join("\n")
        );
    }
}

const RELATIONS: [&str; 4] = ["require", "before", "notify", "subscribe"];

/// Objects as texts, which is all that JSON keeps of them.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object { text, .. } => Value::string(text.as_str()),
        Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
        Value::Hash(pairs) => Value::Hash(
            pairs
                .iter()
                .map(|(key, value)| (plain(key), plain(value)))
                .collect(),
        ),
        Value::Sensitive(inner) => Value::Sensitive(Box::new(plain(inner))),
        other => other.clone(),
    }
}

/// All references of a relation as a flat list of texts.
fn flat(value: &Value, out: &mut Vec<Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flat(item, out)),
        Value::Sensitive(inner) => flat(inner, out),
        Value::Undef => {}
        other => out.push(plain(other)),
    }
}

fn own_value(name: &str, parameter: &Parameter) -> Value {
    match parameter {
        Parameter::Value(value) => plain(value),
        Parameter::References(all) => {
            let mut all: Vec<Value> = all
                .iter()
                .map(|one| Value::string(one.to_string()))
                .collect();
            if all.len() == 1 && !RELATIONS.contains(&name) {
                return all.remove(0);
            }
            Value::Array(all)
        }
    }
}

/// A list of one reference is one reference.
fn their_value(name: &str, value: &Value) -> Value {
    if RELATIONS.contains(&name) {
        let mut out = Vec::new();
        flat(value, &mut out);
        return Value::Array(out);
    }
    match value {
        Value::Array(items) if items.len() == 1 && matches!(items[0], Value::Object { .. }) => {
            plain(&items[0])
        }
        other => plain(other),
    }
}

type Plain = Vec<(String, Value)>;

/// Parameters without the one that names the resource, and that one. Puppet always has it.
fn own_parameters(resource: &Resource) -> (Plain, Value) {
    let all = resource.parameters.iter();
    let all = all.map(|(name, value)| (name.clone(), own_value(name, value)));
    let (names, others): (Plain, Plain) = all.partition(|(name, _)| name == "name");
    let name = names.into_iter().next().map(|(_, value)| value);
    (
        others,
        name.unwrap_or_else(|| Value::string(resource.title.as_str())),
    )
}

fn their_parameters(resource: &Value) -> (Plain, Value) {
    let all = resource
        .get("parameters")
        .and_then(Value::as_array)
        .expect("parameters");
    let all = all.iter().map(|pair| {
        let pair = pair.as_array().expect("a pair");
        let name = pair[0].as_str().expect("a name").to_owned();
        let value = their_value(&name, &pair[1]);
        (name, value)
    });
    let (names, others): (Plain, Plain) = all.partition(|(name, _)| name == "name");
    (
        others,
        names
            .into_iter()
            .next()
            .map_or(Value::Undef, |(_, value)| value),
    )
}

/// Equal even where the order in hashes counts.
fn same(own: &(Plain, Value), theirs: &(Plain, Value)) -> bool {
    let encode = |(all, name): &(Plain, Value)| {
        let all = all
            .iter()
            .map(|(key, value)| format!("{key}={};", value.encode()));
        all.collect::<String>() + &name.encode()
    };
    encode(own) == encode(theirs)
}

fn compare_catalogs(text: &str, own: &Catalog, theirs: &Value, tally: &mut Tally) {
    let theirs = theirs.as_array().expect("resources");
    if own.resources.len() != theirs.len() {
        tally.differs(
            text,
            &format!(
                "{} resources here, there {}",
                own.resources.len(),
                theirs.len()
            ),
        );
        return;
    }
    for (own, theirs) in own.resources.iter().zip(theirs) {
        let part = |key: &str| theirs.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = format!("{}[{}]", part("type"), part("title"));
        if own.reference().to_string() != name {
            tally.differs(text, &format!("{} here, there {name}", own.reference()));
            return;
        }
        let tags = theirs.get("tags").and_then(Value::as_array).expect("tags");
        let tags: Vec<&str> = tags.iter().filter_map(Value::as_str).collect();
        if own.tags != tags {
            tally.differs(
                text,
                &format!("{name}: tags {:?} here, there {tags:?}", own.tags),
            );
        }
        let line = own.place.as_ref().map(|place| Value::integer(place.line));
        if line.as_ref() != theirs.get("line") {
            tally.differs(
                text,
                &format!("{name}: line {line:?} here, there {:?}", theirs.get("line")),
            );
        }
        let (own, theirs) = (own_parameters(own), their_parameters(theirs));
        if !same(&own, &theirs) {
            tally.differs(text, &format!("{name}: {own:?}\n    there {theirs:?}"));
        }
    }
}

/// The catalog that Puppet writes must say the same as the manifest.
fn compare_json(text: &str, own: &Catalog, json: &str, tally: &mut Tally) {
    let read = match read_catalog("catalog.json", json.as_bytes()) {
        Ok(read) => read,
        Err(error) => {
            tally.differs(text, &format!("{error}\n    {json}"));
            return;
        }
    };
    if read.environment.as_deref() != Some("production") || read.version.is_none() {
        tally.differs(text, "the catalog has another environment or no version");
    }
    let names = |own: &Catalog| -> Vec<String> {
        let all = own.containers.iter();
        all.map(|one| {
            format!(
                "{} {:?} {:?} {:?}",
                one.reference(),
                one.path,
                one.tags,
                one.container
            )
        })
        .collect()
    };
    if names(own) != names(&read) {
        tally.differs(
            text,
            &format!("{:?}\n    JSON {:?}", names(own), names(&read)),
        );
    }
    if own.resources.len() != read.resources.len() {
        tally.differs(text, "JSON has another number of resources");
    }
    for (own, read) in own.resources.iter().zip(&read.resources) {
        let around = |one: &Resource| {
            let place = one.place.clone();
            (
                one.reference(),
                one.tags.clone(),
                place,
                one.path.clone(),
                one.container.clone(),
                one.exported,
            )
        };
        if around(own) != around(read) {
            tally.differs(
                text,
                &format!("{:?}\n    JSON {:?}", around(own), around(read)),
            );
        }
        let (own, read) = (own_parameters(own), own_parameters(read));
        if !same(&own, &read) {
            tally.differs(text, &format!("{own:?}\n    JSON {read:?}"));
        }
    }
}

/// A message without what stands around it: places behind, and names of objects in Ruby.
pub fn message(text: &str) -> String {
    let mut text = text.trim();
    for prefix in [
        "Evaluation Error: ",
        "Could not parse for environment production: ",
    ] {
        text = text.strip_prefix(prefix).unwrap_or(text);
    }
    while let Some(at) = text.rfind(" (file: ").filter(|_| text.ends_with(')')) {
        if text[at..].matches(')').count() != 1 {
            break;
        }
        text = &text[..at];
    }
    match text.split_once(" by #<Puppet::Resource::Type:") {
        Some((head, tail)) => head.to_owned() + tail.split_once('>').map_or("", |(_, rest)| rest),
        None => text.to_owned(),
    }
}

pub fn same_error(own: &Error, theirs: &Refused) -> bool {
    let (mine, other) = (message(&own.message), message(&theirs.message));
    // These are errors of Ruby itself, such as those of its regular expressions.
    let raw = theirs
        .message
        .starts_with("Could not parse for environment")
        && theirs.line.is_none();
    if raw && !other.starts_with("Syntax error") {
        return true;
    }
    // Of objects of Ruby, messages show what changes from run to run.
    if other.contains("#<Puppet::") {
        return true;
    }
    // What Puppet quotes here is whatever it matched last.
    let quote = |text: &str| {
        let (head, tail) = text.split_once("Unclosed quote after '")?;
        Some(format!(
            "{head}{}",
            tail.split_once("' followed by")
                .map_or("", |(_, rest)| rest)
        ))
    };
    let (mine, other) = (quote(&mine).unwrap_or(mine), quote(&other).unwrap_or(other));
    // How JSON is wrong, its parser says.
    let json = |text: &str| {
        text.split_once("invalid JSON string.")
            .map(|(head, _)| head.to_owned())
    };
    let (mine, other) = (json(&mine).unwrap_or(mine), json(&other).unwrap_or(other));
    let unknown = other.starts_with("Unknown variable") && mine.starts_with(&other);
    (mine == other || unknown)
        && theirs.line.is_none_or(|line| line == own.line)
        && theirs.column.is_none_or(|column| column == own.column)
}

/// Is the resource that Puppet does not find named by an attribute?
fn may_be_named(own: &Catalog, error: &Refused) -> bool {
    let named = error.message.split_once("Could not find resource '");
    let named = named.and_then(|(_, rest)| rest.split_once("]'")?.0.split_once('['));
    let Some((kind, title)) = named else {
        return false;
    };
    own.resources.iter().any(|resource| {
        let texts = resource.parameters.iter();
        let says =
            |(_, value): &(String, Parameter)| *value == Parameter::Value(Value::string(title));
        resource.kind == kind.to_lowercase() && texts.clone().any(says)
    })
}

fn of_types(error: &Refused) -> bool {
    let of_types = [
        "no parameter named",
        "Unknown resource type",
        "Resource type not found",
        "Parameter ensure failed",
    ];
    of_types.iter().any(|words| error.message.contains(words))
}

/// Compiles a manifest here and there, and compares all.
pub fn compare(peer: &mut Peer, text: &str, tally: &mut Tally) {
    tally.asked += 1;
    let own = compile(&peer.file, text);
    let theirs = peer.compile(text);
    if let Err(errors) = &own {
        tally.refusals.push(format!("{text}\n    {}", errors[0]));
    }
    match (own, theirs) {
        // Types and their attributes are not known here.
        (_, Compiled::Error(theirs)) if of_types(&theirs) => tally.refused += 1,
        (Ok(own), Compiled::Catalog { resources, json }) => {
            tally.accepted += 1;
            tally.accepted_texts.push(text.to_owned());
            compare_catalogs(text, &own, &resources, tally);
            compare_json(text, &own, &json, tally);
        }
        (Err(errors), Compiled::Error(theirs)) => {
            tally.refused += 1;
            let own = &errors[0];
            if own.kind == Kind::Unsupported {
                tally.unsupported += 1;
            } else if !same_error(own, &theirs) {
                tally.differs(text, &format!("{own}\n    there {theirs:?}"));
            }
        }
        (Err(errors), Compiled::Catalog { .. }) => {
            if errors[0].kind == Kind::Unsupported {
                tally.unsupported += 1;
            } else {
                tally.differs(text, &format!("{}, there accepted", errors[0]));
            }
        }
        // Which attribute names a resource is not known here: any may.
        (Ok(own), Compiled::Error(theirs)) if may_be_named(&own, &theirs) => tally.refused += 1,
        (Ok(_), Compiled::Error(theirs)) => {
            tally.differs(text, &format!("accepted, there {theirs:?}"));
        }
    }
}
