//! A new graph takes the place of the running one.

use std::collections::{HashMap, HashSet};

use serde_json::Value as Json;

use crate::engine::{Edge, Engine, Fate};
use crate::ids::VertexId;
use crate::node::Node;
use crate::operation::{Next, Operation};
use crate::resource::Resource;
use crate::trace::{Lane, Trace, add_error};
use crate::vertex::Vertex;

impl<R: Resource> Engine<R> {
    /// Which running vertices stay; the others.
    pub(crate) fn match_graphs(&mut self, operation: &mut Operation<R>) -> Vec<VertexId> {
        let Some(plan) = operation.plan.take() else {
            return Vec::new();
        };
        operation.edges = plan.edges().cloned().collect();
        let mut nodes = plan.nodes;
        for node in nodes.iter_mut().flatten() {
            self.prefill(node);
        }
        let mut kept = HashSet::new();
        for node in nodes {
            let next = node.map(|node| {
                let running = self.by_key.get(&node.key).copied();
                match running.filter(|id| self.is_same(*id, &node)) {
                    Some(id) => {
                        kept.insert(id);
                        self.set_fates(&node, &Fate::Equal, &Fate::Equal);
                        Next::Kept(id)
                    }
                    None => Next::New(Box::new(node)),
                }
            });
            operation.next.push(next);
        }
        self.running
            .iter()
            .copied()
            .filter(|id| !kept.contains(id))
            .collect()
    }

    fn set_fates(&mut self, node: &Node<R>, head: &Fate, member: &Fate) {
        let mut ids = vec![];
        node.each_member(&mut |member| ids.push(member.id));
        for id in ids {
            self.instances[id].fate = member.clone();
        }
        self.instances[node.id].fate = head.clone();
    }

    /// Whether a running vertex can stay for a fresh one.
    fn is_same(&mut self, id: VertexId, fresh: &Node<R>) -> bool {
        let now = self.now;
        let Some(Some(vertex)) = self.vertices.get_mut(id) else {
            return false;
        };
        if vertex.error.is_some() && vertex.node.meta.rewatch {
            return false;
        }
        same(&mut vertex.node, fresh, &mut self.trace, now)
    }

    /// Removes a vertex when its loops have ended; whether they have.
    pub(crate) fn remove(&mut self, id: VertexId, what: &str) -> Result<bool, String> {
        let now = self.now;
        let Some(vertex) = self.vertex_mut(id) else {
            return Ok(true);
        };
        if !vertex.leaving {
            // A vertex that failed before stays so; what happens from here on is its removal.
            let end = match vertex.error {
                Some(_) => vertex.end(),
                None => "removed".to_owned(),
            };
            let instance = vertex.node.id;
            vertex.leaving = true;
            vertex.watch_cancelled = true;
            self.instances[instance].fate = Fate::Removed(end);
            self.wake_process(id);
            self.wake_watch(id);
        }
        let Some(vertex) = self.vertex_mut(id) else {
            return Ok(true);
        };
        if !vertex.is_done() {
            return Ok(false);
        }
        let answer = vertex.node.resource.cleanup();
        let (instance, key) = (vertex.node.id, vertex.node.key.clone());
        let restless = vertex.restless;
        self.trace
            .note(instance, Lane::Life, now, "cleanup", |fields| {
                add_error(fields, &answer);
            });
        if let Err(error) = answer {
            self.stopped = true;
            return Err(format!(
                "{what}: error running graph sync: vertexRemoveFn failed: the Res did not Cleanup: {error}"
            ));
        }
        self.converger.change(restless, false, now);
        // The running graph still shows it until all is changed.
        self.by_key.remove(&key);
        Ok(true)
    }

    /// Adds the new vertices, and puts the new graph in the place of the old one.
    pub(crate) fn add_all(&mut self, operation: &mut Operation<R>) -> Result<(), String> {
        let now = self.now;
        let mut ids: Vec<Option<VertexId>> = Vec::new();
        let mut added = Vec::new();
        for next in std::mem::take(&mut operation.next) {
            let id = match next {
                None => None,
                Some(Next::Kept(id)) => Some(id),
                Some(Next::New(mut node)) => {
                    self.init(&mut node, operation.what)?;
                    self.retries
                        .add(&node.key, node.meta.retry, node.meta.reset);
                    let id = self.vertices.len();
                    self.set_fates(&node, &Fate::Running(id), &Fate::Grouped);
                    self.vertices.push(Some(Vertex::new(*node, now)));
                    added.push(id);
                    Some(id)
                }
            };
            ids.push(id);
        }

        let mut old: HashMap<(VertexId, VertexId), Edge> = std::mem::take(&mut self.edges)
            .into_iter()
            .map(|edge| ((edge.from, edge.to), edge))
            .collect();
        for edge in std::mem::take(&mut operation.edges) {
            let ends = (
                ids.get(edge.from).copied().flatten(),
                ids.get(edge.to).copied().flatten(),
            );
            let (Some(from), Some(to)) = ends else {
                continue;
            };
            let kept = old
                .remove(&(from, to))
                .filter(|old| old.name == edge.name && old.notify == edge.notify);
            let fresh = Edge {
                from,
                to,
                name: edge.name,
                notify: edge.notify,
                pending: false,
            };
            self.edges.push(kept.unwrap_or(fresh));
        }

        let next: Vec<VertexId> = ids.into_iter().flatten().collect();
        let stays: HashSet<VertexId> = next.iter().copied().collect();
        for id in std::mem::replace(&mut self.running, next) {
            if !stays.contains(&id) {
                self.vertices[id] = None;
            }
        }
        self.index();
        let by_key = &self.by_key;
        self.retries.keep(|key| by_key.contains_key(key));
        for id in added {
            self.settle(id);
            self.wake_watch(id);
        }
        Ok(())
    }

    fn init(&mut self, node: &mut Node<R>, what: &str) -> Result<(), String> {
        let now = self.now;
        let sync = format!("{what}: error running graph sync: vertexAddFn failed");
        if let Err(error) = validate(node, &mut self.trace, now) {
            self.stopped = true;
            return Err(format!("{sync}: the Res did not Validate: {error}"));
        }
        let answer = node.resource.init();
        self.trace.note(node.id, Lane::Life, now, "init", |fields| {
            add_error(fields, &answer);
        });
        answer.map_err(|error| {
            self.stopped = true;
            format!("{sync}: the Res did not Init: could not Init() resource: {error}")
        })
    }

    /// Finds anew what is found by name or by edge.
    fn index(&mut self) {
        self.by_key.clear();
        self.senders.clear();
        self.nodes_by_key.clear();
        for id in self.running.clone() {
            let Some(Some(vertex)) = self.vertices.get_mut(id) else {
                continue;
            };
            vertex.parents.clear();
            vertex.children.clear();
            vertex.older = 0;
            self.by_key.insert(vertex.node.key.clone(), id);
            let mut nodes = Vec::new();
            ways(&vertex.node, &mut Vec::new(), &mut nodes);
            for (key, way, sends) in nodes {
                if sends {
                    self.senders.insert(key.clone(), (id, way.clone()));
                }
                self.nodes_by_key.insert(key, (id, way));
            }
        }
        for (number, edge) in self.edges.iter().enumerate() {
            if let Some(Some(vertex)) = self.vertices.get_mut(edge.from) {
                vertex.children.push(number);
            }
            if let Some(Some(vertex)) = self.vertices.get_mut(edge.to) {
                vertex.parents.push(number);
            }
        }
    }
}

fn ways<R: Resource>(
    node: &Node<R>,
    way: &mut Vec<usize>,
    found: &mut Vec<(String, Vec<usize>, bool)>,
) {
    let sends = node.traits.send && !node.meta.hidden;
    found.push((node.key.clone(), way.clone(), sends));
    for (place, member) in node.members.iter().enumerate() {
        way.push(place);
        ways(member, way, found);
        way.pop();
    }
}

/// Validates a fresh node.
pub(crate) fn validate<R: Resource>(
    node: &mut Node<R>,
    trace: &mut Trace,
    now: u64,
) -> Result<(), String> {
    let (called, answer) = node.validate();
    if called {
        node.validated += 1;
        trace.note(node.id, Lane::Life, now, "validate", |fields| {
            fields.insert("n".to_owned(), Json::from(node.validated));
            if let Some(inputs) = node.inputs() {
                fields.insert("in".to_owned(), inputs);
            }
            add_error(fields, &answer);
        });
    }
    answer
}

/// Whether a running node is the same as a fresh one.
fn same<R: Resource>(running: &mut Node<R>, fresh: &Node<R>, trace: &mut Trace, now: u64) -> bool {
    if running.key != fresh.key {
        return false;
    }
    let answer = running.resource.cmp(&fresh.resource);
    trace.note(running.id, Lane::Life, now, "cmp", |fields| {
        fields.insert("with".to_owned(), Json::from(fresh.label.as_str()));
        add_error(fields, &answer);
    });
    if answer.is_err()
        || !running.meta.same(&fresh.meta)
        || running.refresh != fresh.refresh
        || running.traits.refresh != fresh.traits.refresh
        || running.traits.group != fresh.traits.group
        || running.traits.edge != fresh.traits.edge
        || running.members.len() != fresh.members.len()
    {
        return false;
    }
    let mut members: Vec<&mut Node<R>> = running.members.iter_mut().collect();
    members.sort_by(|one, other| one.key.cmp(&other.key));
    let mut others: Vec<&Node<R>> = fresh.members.iter().collect();
    others.sort_by(|one, other| one.key.cmp(&other.key));
    members
        .into_iter()
        .zip(others)
        .all(|(one, other)| same(one, other, trace, now))
}
