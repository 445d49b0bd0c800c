//! The engine: its clock, its tasks and its running graph.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use serde_json::{Map, Value as Json, json};

use crate::converger::Converger;
use crate::gates::Gates;
use crate::ids::{EdgeId, InstanceId, VertexId};
use crate::node::Node;
use crate::operation::Operation;
use crate::resource::{Ended, Resource};
use crate::retry::Retries;
use crate::sema::Semas;
use crate::trace::Trace;
use crate::vertex::{Process, Vertex, Wait, Watch};

/// An edge of the running graph.
#[derive(Debug)]
pub(crate) struct Edge {
    pub from: VertexId,
    pub to: VertexId,
    pub name: String,
    pub notify: bool,
    /// A change of `from` waits to be told.
    pub pending: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Task {
    Watch(VertexId),
    Process(VertexId),
}

/// What became of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    NotAdded,
    Equal,
    Grouped,
    Running(VertexId),
    Removed(String),
}

#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub label: String,
    pub fate: Fate,
}

/// The engine over resources of one type.
#[derive(Debug)]
pub struct Engine<R> {
    pub(crate) now: u64,
    pub(crate) stamp: u64,
    pub(crate) vertices: Vec<Option<Vertex<R>>>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) running: Vec<VertexId>,
    pub(crate) by_key: HashMap<String, VertexId>,
    /// Where senders are, also those in groups: the vertex, and the way through its members.
    pub(crate) senders: HashMap<String, (VertexId, Vec<usize>)>,
    /// Where all running nodes are, in the same way.
    pub(crate) nodes_by_key: HashMap<String, (VertexId, Vec<usize>)>,
    pub(crate) instances: Vec<Instance>,
    pub(crate) ready: VecDeque<Task>,
    timers: BinaryHeap<Reverse<(u64, u64, Task)>>,
    timer_count: u64,
    pub(crate) gates: Gates,
    pub(crate) semas: Semas,
    pub(crate) retries: Retries,
    pub(crate) operation: Option<Operation<R>>,
    pub(crate) outcome: Option<String>,
    pub(crate) stopped: bool,
    pub(crate) paused: bool,
    pub(crate) fast_pause: bool,
    pub(crate) interrupted: bool,
    /// How many calls of resources wait for time.
    pub(crate) sleeping: usize,
    pub(crate) checking: usize,
    pub(crate) peak: usize,
    /// What AutoEdge, AutoGroup and the pre-fill said since this was last taken.
    pub log: Vec<String>,
    /// What happened.
    pub trace: Trace,
    /// Whether all is quiet.
    pub converger: Converger,
}

impl<R: Resource> Engine<R> {
    /// An engine without a graph; the converger's timeout is in seconds.
    pub fn new(converger_s: Option<i64>) -> Engine<R> {
        Engine {
            now: 0,
            stamp: 0,
            vertices: Vec::new(),
            edges: Vec::new(),
            running: Vec::new(),
            by_key: HashMap::new(),
            senders: HashMap::new(),
            nodes_by_key: HashMap::new(),
            instances: Vec::new(),
            ready: VecDeque::new(),
            timers: BinaryHeap::new(),
            timer_count: 0,
            gates: Gates::default(),
            semas: Semas::default(),
            retries: Retries::default(),
            operation: None,
            outcome: None,
            stopped: false,
            paused: false,
            fast_pause: false,
            interrupted: false,
            sleeping: 0,
            checking: 0,
            peak: 0,
            log: Vec::new(),
            trace: Trace::default(),
            converger: Converger::new(converger_s),
        }
    }

    /// Milliseconds on the virtual clock.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The largest number of CheckApply at one time so far.
    pub fn peak(&self) -> usize {
        self.peak
    }

    /// Whether a call of a resource waits for time to pass.
    pub fn is_busy(&self) -> bool {
        self.sleeping > 0
    }

    /// A node for a resource, as a new instance.
    pub fn instance(&mut self, resource: R, label: String) -> Node<R> {
        let id = self.instances.len();
        self.instances.push(Instance {
            label: label.clone(),
            fate: Fate::NotAdded,
        });
        Node::new(resource, id, label)
    }

    /// The vertex with this `kind[name]` in the running graph.
    pub fn find(&self, key: &str) -> Option<VertexId> {
        self.by_key.get(key).copied()
    }

    /// The vertices of the running graph.
    pub fn running(&self) -> &[VertexId] {
        &self.running
    }

    /// The resource of a running vertex.
    pub fn resource(&self, id: VertexId) -> Option<&R> {
        self.vertex(id).map(|vertex| &vertex.node.resource)
    }

    /// The resource of a running vertex, to be told something.
    pub fn resource_mut(&mut self, id: VertexId) -> Option<&mut R> {
        self.vertex_mut(id).map(|vertex| &mut vertex.node.resource)
    }

    /// Whether a call of Watch runs, or an event of it waits.
    pub fn is_watching(&self, id: VertexId) -> bool {
        self.vertex(id).is_some_and(|vertex| {
            !vertex.watchless() && matches!(vertex.watch, Watch::Running | Watch::Offering)
        })
    }

    /// Whether a call of Watch runs that has not offered an event yet.
    pub fn is_arming(&self, id: VertexId) -> bool {
        let vertex = self.vertex(id);
        self.is_watching(id) && vertex.is_some_and(|vertex| !vertex.had_event)
    }

    /// Whether something waits for time to pass, other than the next poll: a retry, a delay, a limit.
    pub fn is_delayed(&self) -> bool {
        let mut running = self.running.iter().filter_map(|id| self.vertex(*id));
        running.any(|vertex| {
            let process = match vertex.process {
                Process::Waiting(wait) | Process::Paused(wait) => wait != Wait::Idle,
                Process::Checking | Process::Sema(_) => true,
                Process::Failing(_) | Process::Closing | Process::Done => false,
            };
            process || matches!(vertex.watch, Watch::Delay(_) | Watch::Restarting)
        })
    }

    /// Asks Watch again: its resource was told something.
    pub fn wake_watch(&mut self, id: VertexId) {
        let Some(Some(vertex)) = self.vertices.get_mut(id) else {
            return;
        };
        if !std::mem::replace(&mut vertex.watch_queued, true) {
            self.ready.push_back(Task::Watch(id));
        }
    }

    pub(crate) fn wake_process(&mut self, id: VertexId) {
        let Some(Some(vertex)) = self.vertices.get_mut(id) else {
            return;
        };
        if !std::mem::replace(&mut vertex.process_queued, true) {
            self.ready.push_back(Task::Process(id));
        }
    }

    pub(crate) fn vertex(&self, id: VertexId) -> Option<&Vertex<R>> {
        self.vertices.get(id)?.as_ref()
    }

    pub(crate) fn vertex_mut(&mut self, id: VertexId) -> Option<&mut Vertex<R>> {
        self.vertices.get_mut(id)?.as_mut()
    }

    pub(crate) fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id]
    }

    /// Runs this task again then.
    pub(crate) fn at(&mut self, time: u64, task: Task) {
        self.timer_count += 1;
        self.timers.push(Reverse((time, self.timer_count, task)));
    }

    /// Opens a gate.
    pub fn open_gate(&mut self, name: &str) {
        for id in self.gates.open(name) {
            self.wake_watch(id);
            self.wake_process(id);
        }
    }

    /// Runs all that can run now.
    pub fn run_ready(&mut self) {
        while self.run_one() {}
        self.converger.look(self.now);
    }

    /// Runs one thing that can run now, at most one call of `CheckApply`; whether there was one.
    pub fn run_one(&mut self) -> bool {
        self.advance_operation();
        let Some(task) = self.ready.pop_front() else {
            return false;
        };
        match task {
            Task::Watch(id) => {
                if let Some(vertex) = self.vertex_mut(id) {
                    vertex.watch_queued = false;
                    self.run_watch(id);
                }
            }
            Task::Process(id) => {
                // It stays in the queue meanwhile: what wakes it now, it sees in this turn.
                self.run_process(id);
                self.settle(id);
                let Some(vertex) = self.vertex_mut(id) else {
                    return true;
                };
                vertex.process_queued = false;
                if std::mem::take(&mut vertex.again) {
                    self.wake_process(id);
                }
            }
        }
        true
    }

    /// When something happens next by itself.
    pub fn next_time(&self) -> Option<u64> {
        let timer = self.timers.peek().map(|Reverse((time, _, _))| *time);
        let due = self.converger.due();
        [timer, due].into_iter().flatten().min()
    }

    /// Sets the clock forward, and runs what is due. Nothing may be due before.
    pub fn advance_to(&mut self, time: u64) {
        self.set_clock(time);
        self.run_ready();
    }

    /// Sets the clock forward; what is due then can run.
    pub fn set_clock(&mut self, time: u64) {
        self.now = self.now.max(time);
        while let Some(Reverse((due, _, task))) = self.timers.peek().copied() {
            if due > self.now {
                break;
            }
            self.timers.pop();
            match task {
                Task::Watch(id) => self.wake_watch(id),
                Task::Process(id) => self.wake_process(id),
            }
        }
    }

    /// Runs until nothing more happens by itself before this time.
    pub fn run_until(&mut self, time: u64) {
        self.run_ready();
        while let Some(next) = self.next_time().filter(|next| *next <= time) {
            self.advance_to(next);
        }
        self.advance_to(time);
    }

    /// Cancels what runs, and runs nothing more.
    pub fn interrupt(&mut self) {
        self.interrupted = true;
        for id in self.running.clone() {
            if let Some(vertex) = self.vertex_mut(id) {
                vertex.cancel = Some(Ended::Cancelled);
                self.wake_process(id);
            }
        }
    }

    /// Tells the converger how a vertex stands.
    pub(crate) fn settle(&mut self, id: VertexId) {
        if !self.converger.is_on() {
            return;
        }
        let Some(vertex) = self.vertex_mut(id) else {
            return;
        };
        let lives = !matches!(vertex.process, Process::Done | Process::Failing(_));
        let restless = lives && !(vertex.started && vertex.state_ok);
        let before = std::mem::replace(&mut vertex.restless, restless);
        let now = self.now;
        self.converger.change(before, restless, now);
    }

    /// The running graph as recordings show it.
    pub fn graph(&self) -> Json {
        let mut vertices: Vec<(String, Json)> = self
            .running
            .iter()
            .filter_map(|id| self.vertex(*id))
            .map(|vertex| (vertex.node.label.clone(), shown(&vertex.node)))
            .collect();
        vertices.sort_by(|one, other| one.0.cmp(&other.0));
        let vertices: Vec<Json> = vertices.into_iter().map(|(_, shown)| shown).collect();
        let mut edges: Vec<(String, String, bool)> = self
            .edges
            .iter()
            .map(|edge| (self.label(edge.from), self.label(edge.to), edge.notify))
            .collect();
        edges.sort();
        json!({ "vertices": vertices, "edges": edges })
    }

    /// The edges with a change that waits to be told.
    pub fn pending(&self) -> Vec<[String; 2]> {
        let mut pending: Vec<[String; 2]> = self
            .edges
            .iter()
            .filter(|edge| edge.pending)
            .map(|edge| [self.label(edge.from), self.label(edge.to)])
            .collect();
        pending.sort();
        pending
    }

    pub(crate) fn label(&self, id: VertexId) -> String {
        self.vertex(id)
            .map_or_else(String::new, |vertex| vertex.node.label.clone())
    }

    /// How each instance stands, in order of their making.
    pub fn ends(&self) -> Vec<(String, String)> {
        let end = |fate: &Fate| match fate {
            Fate::NotAdded => "not added".to_owned(),
            Fate::Equal => "not added: equal to the one that runs".to_owned(),
            Fate::Grouped => "grouped".to_owned(),
            Fate::Running(id) => self.vertex(*id).map_or_else(String::new, Vertex::end),
            Fate::Removed(end) => end.clone(),
        };
        self.instances
            .iter()
            .map(|one| (one.label.clone(), end(&one.fate)))
            .collect()
    }

    /// The name of an instance.
    pub fn instance_label(&self, id: InstanceId) -> &str {
        self.instances
            .get(id)
            .map_or("", |instance| &instance.label)
    }
}

fn shown<R: Resource>(node: &Node<R>) -> Json {
    let mut fields = member(node);
    if !node.meta.sema.is_empty() {
        fields.insert("sema".to_owned(), Json::from(node.meta.sema.clone()));
    }
    Json::Object(fields)
}

/// A member of a group; its semaphores are its head's.
fn member<R: Resource>(node: &Node<R>) -> Map<String, Json> {
    let mut fields = Map::new();
    fields.insert("v".to_owned(), Json::from(node.label.as_str()));
    if !node.members.is_empty() {
        let members = node.members.iter().map(|one| Json::Object(member(one)));
        fields.insert("group".to_owned(), members.collect());
    }
    fields
}
