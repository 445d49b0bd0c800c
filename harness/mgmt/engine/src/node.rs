//! A resource in the engine: what the engine keeps with it, and the members of its group.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::ids::InstanceId;
use crate::meta::Meta;
use crate::resource::{Group, Resource, Sends, Source, Traits};
use crate::value::Value;

/// A receiving field.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Where its value comes from.
    pub source: Source,
    /// Whether a new value came that no CheckApply has seen with success.
    pub changed: bool,
}

/// A resource, and what the engine keeps with it.
#[derive(Debug)]
pub struct Node<R> {
    /// The resource.
    pub resource: R,
    /// Its instance's name.
    pub label: String,
    /// The number of the instance.
    pub id: InstanceId,
    /// `kind[name]`.
    pub key: String,
    /// Its meta parameters; those of a head hold its members' semaphores, too.
    pub meta: Meta,
    /// Its traits.
    pub traits: Traits,
    /// Its receiving fields.
    pub slots: BTreeMap<String, Slot>,
    /// What it sent last.
    pub sent: Option<Sends>,
    /// Whether it is told that a refresh is pending.
    pub refresh: bool,
    /// How often it was validated while a graph was made.
    pub validated: u64,
    /// The members of its group, in order of grouping.
    pub members: Vec<Node<R>>,
}

impl<R: Resource> Node<R> {
    /// A node for a fresh resource.
    pub fn new(resource: R, id: InstanceId, label: String) -> Node<R> {
        let traits = resource.traits();
        let receives = if traits.recv {
            resource.receives()
        } else {
            BTreeMap::new()
        };
        Node {
            key: format!("{}[{}]", resource.kind(), resource.name()),
            meta: resource.meta(),
            traits,
            slots: receives
                .into_iter()
                .map(|(key, source)| {
                    (
                        key,
                        Slot {
                            source,
                            changed: false,
                        },
                    )
                })
                .collect(),
            sent: None,
            refresh: false,
            validated: 0,
            members: Vec::new(),
            resource,
            label,
            id,
        }
    }

    /// The engine's own checks and the resource's.
    pub fn validate(&mut self) -> (bool, Result<(), String>) {
        if self.resource.kind().is_empty() {
            return (false, Err("the Res has an empty Kind".to_owned()));
        }
        if self.resource.name().is_empty() {
            return (false, Err("the Res has an empty Name".to_owned()));
        }
        if let Err(error) = self.resource.meta().validate() {
            return (
                false,
                Err(format!("the Res has an invalid meta param: {error}")),
            );
        }
        if self.resource.name().starts_with('$') && !self.meta.dollar {
            return (false, Err("the Res name starts with a $".to_owned()));
        }
        if self.meta.hidden {
            return (false, Ok(()));
        }
        (true, self.resource.validate())
    }

    /// What the receiving fields hold.
    pub fn inputs(&self) -> Option<Json> {
        if self.slots.is_empty() {
            return None;
        }
        let fields = self.slots.keys().filter_map(|key| {
            self.resource
                .field(key)
                .map(|value| (key.clone(), value.json()))
        });
        Some(Json::Object(fields.collect::<Map<String, Json>>()))
    }

    /// What the receiving fields hold, and whether it is new.
    pub fn received(&self) -> Option<Json> {
        if self.slots.is_empty() {
            return None;
        }
        let fields = self.slots.iter().filter_map(|(key, slot)| {
            let value = self.resource.field(key)?;
            Some((
                key.clone(),
                Json::Array(vec![value.json(), Json::Bool(slot.changed)]),
            ))
        });
        Some(Json::Object(fields.collect::<Map<String, Json>>()))
    }

    /// Forgets that values are new, here and in the group.
    pub fn clear_received(&mut self) {
        for slot in self.slots.values_mut() {
            slot.changed = false;
        }
        for member in &mut self.members {
            member.clear_received();
        }
    }

    /// Calls `each` for all members, however deep.
    pub fn each_member<'a>(&'a self, each: &mut impl FnMut(&'a Node<R>)) {
        for member in &self.members {
            each(member);
            member.each_member(each);
        }
    }

    /// Adds other semaphores to the own ones, once each.
    pub fn join_semas(&mut self, others: &[String]) {
        for sema in others {
            if !self.meta.sema.contains(sema) {
                self.meta.sema.push(sema.clone());
            }
        }
    }
}

/// The members of a group while their head works for them.
#[derive(Debug)]
pub(crate) struct Members<'a, R> {
    nodes: &'a mut [Node<R>],
    /// What was sent, by instance.
    pub sent: Vec<(String, Value)>,
}

impl<'a, R> Members<'a, R> {
    pub(crate) fn new(nodes: &'a mut [Node<R>]) -> Members<'a, R> {
        Members {
            nodes,
            sent: Vec::new(),
        }
    }
}

impl<R> Group<R> for Members<'_, R> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut R) -> Option<Sends>) {
        visit_all(self.nodes, visit, &mut self.sent);
    }
}

fn visit_all<R>(
    nodes: &mut [Node<R>],
    visit: &mut dyn FnMut(&mut R) -> Option<Sends>,
    sent: &mut Vec<(String, Value)>,
) {
    for node in nodes {
        if let Some(sends) = visit(&mut node.resource) {
            sent.push((node.label.clone(), sends.plain.clone()));
            node.sent = Some(sends);
        }
        visit_all(&mut node.members, visit, sent);
    }
}
