//! Values from senders to receivers.

use serde_json::Value as Json;

use crate::autoedge::several;
use crate::engine::Engine;
use crate::ids::{InstanceId, VertexId};
use crate::node::Node;
use crate::resource::{Resource, Source};
use crate::trace::Lane;
use crate::value::Value;

/// A receiving field, by the way to its node.
type Place = (Vec<usize>, String, Source);

impl<R: Resource> Engine<R> {
    /// Receives all values of a vertex and of its group, and validates it again.
    pub(crate) fn receive(&mut self, id: VertexId) -> Result<(), String> {
        let now = self.now;
        let Some(vertex) = self.vertex(id) else {
            return Ok(());
        };
        if vertex.node.slots.is_empty() && vertex.node.members.is_empty() {
            return Ok(());
        }
        let mut places = Vec::new();
        collect(&vertex.node, &mut Vec::new(), &mut places);
        let mut errors = Vec::new();
        let mut lines: Vec<(InstanceId, String)> = Vec::new();
        for (way, key, source) in places {
            let taken = self.take(id, &way, &key, &source);
            let Some(vertex) = self.vertex_mut(id) else {
                return Ok(());
            };
            let Some(node) = node_at(&mut vertex.node, &way) else {
                continue;
            };
            match taken {
                Ok(new) => {
                    let Some(slot) = node.slots.get_mut(&key) else {
                        continue;
                    };
                    slot.changed |= new;
                    if slot.changed {
                        lines.push((node.id, line("Send/Recv", &source, &node.key, &key)));
                        vertex.state_ok = false;
                    }
                }
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(format!("could not SendRecv: {}", several(&errors)));
        }
        lines.sort_by(|one, other| one.1.cmp(&other.1));
        for (instance, line) in lines {
            self.trace.log(instance, Lane::Recv, now, &line);
        }
        self.validate_again(id)
    }

    fn validate_again(&mut self, id: VertexId) -> Result<(), String> {
        let now = self.now;
        let Some(vertex) = self.vertex_mut(id) else {
            return Ok(());
        };
        if vertex.node.slots.is_empty() {
            return Ok(());
        }
        let (called, answer) = vertex.node.validate();
        let instance = vertex.node.id;
        let inputs = vertex.node.inputs();
        if called {
            self.trace.revalidated(instance);
        }
        answer.map_err(|error| {
            self.trace
                .note(instance, Lane::Recv, now, "validate", |fields| {
                    if let Some(inputs) = inputs {
                        fields.insert("in".to_owned(), inputs);
                    }
                    fields.insert("err".to_owned(), Json::from(error.as_str()));
                });
            format!("failed Validate after SendRecv: {error}")
        })
    }

    /// The sender of a value.
    fn sender(&mut self, source: &Source) -> Option<&mut Node<R>> {
        let (sender, way) = self.senders.get(&source.from).cloned()?;
        node_at(&mut self.vertex_mut(sender)?.node, &way)
    }

    /// Takes a value into a field: whether it was new.
    fn take(
        &mut self,
        id: VertexId,
        way: &[usize],
        key: &str,
        source: &Source,
    ) -> Result<bool, String> {
        let missing = || format!("sender {} is not in the graph", source.from);
        let sender = self.sender(source).ok_or_else(missing)?.label.clone();
        let receiver = self.vertex_mut(id);
        let receiver = receiver.and_then(|vertex| node_at(&mut vertex.node, way));
        if let Some(own) = receiver.and_then(|node| node.resource.receive(key, source, &sender)) {
            return own;
        }
        let (value, field) = self.take_value(id, way, key, source)?;
        let new = value != field;
        let receiver = self.vertex_mut(id);
        if let Some(node) = receiver.and_then(|vertex| node_at(&mut vertex.node, way))
            && new
        {
            node.resource.set_field(key, value);
        }
        Ok(new)
    }

    /// The value for a field, in the field's type, and what the field holds.
    fn take_value(
        &mut self,
        id: VertexId,
        way: &[usize],
        key: &str,
        source: &Source,
    ) -> Result<(Value, Value), String> {
        let missing = || format!("sender {} is not in the graph", source.from);
        let sender = self.sender(source).ok_or_else(missing)?;
        let sent = sender
            .sent
            .as_ref()
            .ok_or_else(|| format!("received nil value from: {}", source.from))?;
        let value = sent
            .keys
            .get(&source.key)
            .ok_or("key not found in send struct")?
            .clone();
        let receiver = self
            .vertex_mut(id)
            .and_then(|vertex| node_at(&mut vertex.node, way));
        let field = receiver
            .and_then(|node| node.resource.field(key))
            .ok_or("key not found in recv struct")?;
        Ok((value.into_field(&field)?, field))
    }

    /// Fills a fresh receiver with what its running equal receives; what was sent is taken as it
    /// is, and nothing counts as new.
    pub(crate) fn prefill(&mut self, node: &mut Node<R>) {
        if let Some((id, way)) = self.find_node(&node.key) {
            let mut places = Vec::new();
            if let Some(running) = self
                .vertex_mut(id)
                .and_then(|vertex| node_at(&mut vertex.node, &way))
            {
                places.extend(
                    running
                        .slots
                        .iter()
                        .map(|(key, slot)| (key.clone(), slot.source.clone())),
                );
            }
            for (key, source) in places {
                let Some(sender) = self.sender(&source) else {
                    continue;
                };
                // What was not sent yet is left out.
                let Some(sent) = sender.sent.clone() else {
                    continue;
                };
                let sender = sender.label.clone();
                if let Some(own) = node.resource.receive(&key, &source, &sender) {
                    if own == Ok(true) {
                        self.log.push(line("SendRecv", &source, &node.key, &key));
                    }
                    continue;
                }
                let Some(value) = sent.keys.get(&source.key).cloned() else {
                    continue;
                };
                let Some(field) = node.resource.field(&key) else {
                    continue;
                };
                let Ok(value) = value.into_field(&field) else {
                    continue;
                };
                if value != field {
                    self.log.push(line("SendRecv", &source, &node.key, &key));
                    node.resource.set_field(&key, value);
                }
            }
        }
        for member in &mut node.members {
            self.prefill(member);
        }
    }

    /// Where the running node with this `kind[name]` is, also in a group.
    fn find_node(&self, key: &str) -> Option<(VertexId, Vec<usize>)> {
        self.nodes_by_key.get(key).cloned()
    }
}

fn line(what: &str, source: &Source, receiver: &str, key: &str) -> String {
    format!("{what}: {}.{} -> {receiver}.{key}", source.from, source.key)
}

fn collect<R: Resource>(node: &Node<R>, way: &mut Vec<usize>, places: &mut Vec<Place>) {
    for (key, slot) in &node.slots {
        places.push((way.clone(), key.clone(), slot.source.clone()));
    }
    for (place, member) in node.members.iter().enumerate() {
        way.push(place);
        collect(member, way, places);
        way.pop();
    }
}

/// The node at the end of a way through members.
pub(crate) fn node_at<'a, R>(node: &'a mut Node<R>, way: &[usize]) -> Option<&'a mut Node<R>> {
    let mut node = node;
    for place in way {
        node = node.members.get_mut(*place)?;
    }
    Some(node)
}
