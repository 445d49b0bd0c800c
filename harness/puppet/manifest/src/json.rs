//! Catalogs as Puppet writes them: `puppet catalog compile`, the agent's cache, and PuppetDB.

mod edges;
mod rich;
mod text;

use crate::catalog::{Catalog, Container, Parameter, Resource};
use crate::error::{Error, Kind};
use crate::metaparameters;
use crate::reference::Reference;
use crate::source::{Place, Source};
use edges::Containment;
use puppet_types::Value;
pub use rich::DEFERRED;
use std::collections::HashSet;
use stickler_json::Json;
use text::{scalar, text};

/// Reads a catalog.
///
/// # Errors
/// The first thing that is wrong with it or that this crate does not know.
pub fn read_catalog(file: &str, text: &[u8]) -> Result<Catalog, Error> {
    read(text).map_err(|refusal| {
        let before = text
            .get(..refusal.offset.min(text.len()))
            .unwrap_or_default();
        let lossy = String::from_utf8_lossy(before);
        let source = Source::new(file, &lossy);
        *source.error(refusal.kind, lossy.len(), refusal.message)
    })
}

/// An error without its file.
struct Refusal {
    offset: usize,
    kind: Kind,
    message: String,
}

type Read<T> = Result<T, Refusal>;

fn refusal(offset: usize, kind: Kind, message: impl Into<String>) -> Refusal {
    Refusal {
        offset,
        kind,
        message: message.into(),
    }
}

/// Where the object begins: at the first line that starts with a brace. What `puppet catalog` logs
/// may stand before it.
fn start(text: &[u8]) -> usize {
    if text.starts_with(b"{") {
        return 0;
    }
    let line = text.windows(2).position(|two| two == b"\n{");
    let brace = || text.iter().position(|&byte| byte == b'{');
    line.map(|at| at + 1).or_else(brace).unwrap_or(0)
}

fn read(text: &[u8]) -> Read<Catalog> {
    let syntax = |error: stickler_json::JsonError| {
        refusal(
            error.offset,
            Kind::Syntax,
            format!("no catalog: {}", error.kind),
        )
    };
    let begin = start(text);
    let (json, end) = stickler_json::parse_prefix_at(text, begin).map_err(syntax)?;
    let behind = text.get(end..).unwrap_or_default();
    if let Some(at) = behind.iter().position(|byte| !byte.is_ascii_whitespace()) {
        return Err(refusal(
            end + at,
            Kind::Syntax,
            "no catalog: more text after the value",
        ));
    }
    // Older versions wrap the catalog.
    let wrapped = json.get("data").filter(|_| {
        matches!(json.get("document_type"), Some(Json::String(name)) if name.as_bytes() == b"Catalog")
    });
    let catalog = wrapped.unwrap_or(&json);
    let Some(resources) = listed(catalog.get("resources")) else {
        return Err(refusal(
            begin,
            Kind::Syntax,
            "no catalog: it has no list of `resources`",
        ));
    };
    let offset = position(catalog, "resources").unwrap_or(begin);
    let edges = listed(catalog.get("edges")).unwrap_or_default();
    let at_edges = |message| {
        let offset = position(catalog, "edges").unwrap_or(begin);
        refusal(offset, Kind::Evaluation, message)
    };
    let containment = Containment::read(edges).map_err(at_edges)?;
    let mut own = Catalog {
        version: scalar(catalog.get("version")),
        environment: scalar(catalog.get("environment")),
        ..Catalog::default()
    };
    let mut known = HashSet::new();
    for (index, json) in resources.iter().enumerate() {
        let entry =
            Entry::read(json, index).map_err(|(kind, message)| refusal(offset, kind, message))?;
        let name = entry.reference.clone();
        if !known.insert(name.clone()) {
            let message =
                format!("Duplicate declaration: {name} is already declared; cannot redeclare");
            return Err(refusal(offset, Kind::Evaluation, message));
        }
        let path = containment.path(&name).map_err(at_edges)?;
        entry.add_to(&mut own, path, &containment);
    }
    containment.check(&known).map_err(at_edges)?;
    Ok(own)
}

/// A list, or the list within an answer of PuppetDB.
fn listed(json: Option<&Json>) -> Option<&[Json]> {
    match json? {
        Json::Array(items) => Some(items),
        other => match other.get("data")? {
            Json::Array(items) => Some(items),
            _ => None,
        },
    }
}

fn position(json: &Json, key: &str) -> Option<usize> {
    let mut members = json.as_object()?.iter().rev();
    let member = members.find(|member| member.key.as_bytes() == key.as_bytes());
    member.map(|member| member.span.start)
}

fn is_true(json: Option<&Json>) -> bool {
    matches!(json, Some(Json::Bool(true)))
}

/// A resource of the catalog, of any kind.
struct Entry {
    reference: Reference,
    /// What Puppet says it is; older catalogs do not.
    kind: Option<String>,
    parameters: Vec<(String, Parameter)>,
    tags: Vec<String>,
    place: Option<Place>,
    exported: bool,
    is_virtual: bool,
}

impl Entry {
    fn read(json: &Json, index: usize) -> Result<Self, (Kind, String)> {
        let syntax = |message: String| (Kind::Syntax, message);
        let part = |key: &str| scalar(json.get(key));
        let (Some(kind), Some(title)) = (part("type"), part("title")) else {
            let message = format!("resource {index} has no `type` or no `title`");
            return Err(syntax(message));
        };
        let reference = Reference::new(kind.strip_prefix("::").unwrap_or(&kind), &title);
        let secret: HashSet<String> = match json.get("sensitive_parameters") {
            None | Some(Json::Null) => HashSet::new(),
            Some(Json::Array(names)) => {
                names.iter().filter_map(|name| scalar(Some(name))).collect()
            }
            Some(_) => {
                return Err(syntax(format!(
                    "{reference}: `sensitive_parameters` is no list"
                )));
            }
        };
        let members = match json.get("parameters") {
            None | Some(Json::Null) => &[],
            Some(Json::Object(members)) => members.as_slice(),
            Some(_) => return Err(syntax(format!("{reference}: `parameters` is no object"))),
        };
        let mut parameters: Vec<(String, Parameter)> = Vec::with_capacity(members.len());
        let mut known = HashSet::new();
        for member in members.iter().rev() {
            let Some(name) = text(&member.key) else {
                return Err(syntax(format!(
                    "{reference}: a parameter's name is no text"
                )));
            };
            // Of repeated keys, the last one counts.
            if !known.insert(name) {
                continue;
            }
            let named = |message: String| format!("{reference}: the parameter '{name}' {message}");
            let value =
                rich::value(&member.value).map_err(|(kind, message)| (kind, named(message)))?;
            if value.is_nil() {
                continue;
            }
            let evaluation = |message| (Kind::Evaluation, message);
            let value = match value {
                value @ Value::Sensitive(_) => value,
                value if secret.contains(name) => Value::Sensitive(Box::new(value)),
                value => value,
            };
            if let Some(message) = metaparameters::problem(name, &value, &reference) {
                return Err(evaluation(message));
            }
            let parameter = metaparameters::parameter(name, value).map_err(evaluation)?;
            parameters.push((name.to_owned(), parameter));
        }
        parameters.reverse();
        let tags = listed(json.get("tags")).unwrap_or_default();
        let line = scalar(json.get("line")).and_then(|line| line.parse().ok());
        Ok(Self {
            kind: part("kind"),
            parameters,
            tags: tags.iter().filter_map(|tag| scalar(Some(tag))).collect(),
            place: part("file").map(|file| Place {
                file,
                line: line.unwrap_or(0),
            }),
            exported: is_true(json.get("exported")),
            is_virtual: is_true(json.get("virtual")),
            reference,
        })
    }

    /// Is it a container? Older catalogs do not say what is one; there, it contains something.
    fn is_container(&self, containment: &Containment) -> bool {
        if matches!(self.reference.kind.as_str(), "class" | "stage" | "node") {
            return true;
        }
        match self.kind.as_deref() {
            Some("class" | "defined_type") => true,
            Some("compilable_type") => false,
            _ => containment.contains_any(&self.reference),
        }
    }

    fn add_to(self, catalog: &mut Catalog, path: Vec<String>, containment: &Containment) {
        let container = containment.container(&self.reference).cloned();
        if self.is_container(containment) {
            catalog.containers.push(Container {
                kind: self.reference.kind,
                title: self.reference.title,
                parameters: self.parameters,
                tags: self.tags,
                place: self.place,
                path,
                container,
            });
            return;
        }
        catalog.resources.push(Resource {
            kind: self.reference.kind,
            title: self.reference.title,
            parameters: self.parameters,
            tags: self.tags,
            place: self.place,
            path,
            container,
            exported: self.exported,
            is_virtual: self.is_virtual,
        });
    }
}

#[cfg(test)]
mod tests;
