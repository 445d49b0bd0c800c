//! What contains what.

use super::text::scalar;
use crate::reference::Reference;
use std::collections::{HashMap, HashSet};
use stickler_json::Json;

/// Containers within containers nest at most so deep.
const DEPTH: usize = 200;

/// The containers of resources.
pub(super) struct Containment {
    /// The container of each resource.
    within: HashMap<Reference, Reference>,
    containers: HashSet<Reference>,
    /// All edges, in their order.
    edges: Vec<(Reference, Reference)>,
}

/// One end of an edge: `Type[title]`, or type and title apart.
fn end(edge: &Json, name: &str) -> Option<Reference> {
    let apart = |json: &Json, kind: &str, title: &str| {
        let (kind, title) = (scalar(json.get(kind))?, scalar(json.get(title))?);
        Some(Reference::new(&kind, &title))
    };
    match edge.get(name) {
        Some(Json::String(text)) => Reference::read(text.as_str()?),
        Some(json @ Json::Object(_)) => apart(json, "type", "title"),
        _ => apart(edge, &format!("{name}_type"), &format!("{name}_title")),
    }
}

impl Containment {
    pub(super) fn read(edges: &[Json]) -> Result<Self, String> {
        let mut own = Self {
            within: HashMap::new(),
            containers: HashSet::new(),
            edges: Vec::new(),
        };
        for (index, edge) in edges.iter().enumerate() {
            // PuppetDB also lists relations; parameters say the same.
            let contains = scalar(edge.get("relationship")).is_none_or(|kind| kind == "contains");
            if !contains {
                continue;
            }
            let (Some(source), Some(target)) = (end(edge, "source"), end(edge, "target")) else {
                return Err(format!("edge {index} has no source or no target"));
            };
            own.containers.insert(source.clone());
            own.within
                .entry(target.clone())
                .or_insert_with(|| source.clone());
            own.edges.push((source, target));
        }
        Ok(own)
    }

    /// Are both ends of all edges there?
    pub(super) fn check(&self, known: &HashSet<Reference>) -> Result<(), String> {
        let missing = |which: &str, one: &Reference, other: &Reference| {
            format!(
                "Could not intern from data: Could not find relationship {which} \"{one}\" for {other}"
            )
        };
        for (source, target) in &self.edges {
            if !known.contains(source) {
                return Err(missing("source", source, target));
            }
            if !known.contains(target) {
                return Err(missing("target", target, source));
            }
        }
        Ok(())
    }

    pub(super) fn contains_any(&self, reference: &Reference) -> bool {
        self.containers.contains(reference)
    }

    pub(super) fn container(&self, reference: &Reference) -> Option<&Reference> {
        self.within.get(reference)
    }

    /// The containers of a resource, as paths in logs show them.
    pub(super) fn path(&self, reference: &Reference) -> Result<Vec<String>, String> {
        let mut path = Vec::new();
        let mut at = reference;
        while let Some(container) = self.within.get(at) {
            if path.len() >= DEPTH {
                return Err(format!(
                    "{reference} is contained in itself, or nested too deep"
                ));
            }
            path.push(match container.kind.as_str() {
                "class" => container.title.clone(),
                _ => container.to_string(),
            });
            at = container;
        }
        path.reverse();
        Ok(path)
    }
}
