//! Does to the engine what a case says, action by action.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::{Map, Value as Json};

use crate::engine::Engine;
use crate::ids::VertexId;
use crate::plan::{Plan, PlanEdge};
use crate::recorded::{Action, Graph, Input, Verb};
use crate::scripted::{Scripted, WatchCommand};
use crate::seen::{Seen, seen};

/// Runs a case to its end; what was seen.
pub fn run(input: &Input) -> Seen {
    let mut driver = Driver {
        engine: Engine::new(input.converger_s),
        input,
        graphs: 0,
        keys: HashMap::new(),
        last_graph: Json::Null,
        phases: Vec::new(),
        phase_starts: Vec::new(),
        ends: None,
        background: false,
    };
    for (number, action) in input.driver.iter().enumerate() {
        driver.act(number, action);
    }
    let ends = driver.ends.take().unwrap_or_else(|| driver.engine.ends());
    seen(&driver.engine, driver.phases, &driver.phase_starts, ends)
}

/// How long the driver waits for quiet at most.
const LONGEST_MS: u64 = 20_000;

struct Driver<'a> {
    engine: Engine<Scripted>,
    input: &'a Input,
    /// How many graphs were given.
    graphs: usize,
    /// The `kind[name]` by name, in the graph given last with success.
    keys: HashMap<String, String>,
    last_graph: Json,
    phases: Vec<Map<String, Json>>,
    phase_starts: Vec<u64>,
    /// How the instances stood before the shutdown.
    ends: Option<Vec<(String, String)>>,
    /// Whether an operation goes on in the background.
    background: bool,
}

impl Driver<'_> {
    fn act(&mut self, number: usize, action: &Action) {
        self.engine.trace.phase = number;
        self.phase_starts.push(self.engine.now());
        let started = self.engine.now();
        let outcome = self.do_it(action);
        if !action.no_settle {
            self.settle(started);
        }
        let outcome = outcome.unwrap_or_else(|| match self.engine.take_outcome() {
            Some(outcome) => outcome,
            None if self.engine.is_operating() => "still blocked".to_owned(),
            None => "ok".to_owned(),
        });
        // While an operation goes on in the background, the graph is not looked at.
        match action.verb {
            Verb::Join => self.background = false,
            _ => self.background |= action.is_async,
        }
        let phase = self.phase(outcome);
        self.phases.push(phase);
    }

    /// Does an action; its outcome, if the engine does not say it.
    fn do_it(&mut self, action: &Action) -> Option<String> {
        match action.verb {
            Verb::Start => self.give("main", false),
            Verb::Swap => self.give(action.graph.as_deref().unwrap_or("main"), action.fast),
            Verb::Pause => self.engine.pause(action.fast),
            Verb::Resume => self.engine.resume(),
            Verb::Shutdown => {
                if !action.is_async {
                    self.ends = Some(self.engine.ends());
                }
                self.engine.shutdown();
            }
            Verb::Interrupt => self.engine.interrupt(),
            Verb::Open => {
                self.engine
                    .open_gate(action.gate.as_deref().unwrap_or_default());
                return Some("ok".to_owned());
            }
            Verb::Wait => {
                let end = self.engine.now() + u64::from(action.ms);
                self.engine.run_until(end);
                return Some("ok".to_owned());
            }
            Verb::Join => {}
            Verb::Event | Verb::Wrong | Verb::Watch => return Some(self.tell(action)),
        }
        if !action.is_async && !action.no_settle {
            self.finish_operation();
        }
        None
    }

    /// Lets time pass until the operation has ended, or nothing can end it.
    fn finish_operation(&mut self) {
        let latest = self.engine.now().saturating_add(LONGEST_MS);
        self.engine.run_ready();
        while self.engine.is_operating() {
            let next = self.engine.next_time();
            let Some(next) = next.filter(|next| *next <= latest) else {
                break;
            };
            self.engine.advance_to(next);
        }
    }

    fn give(&mut self, name: &str, fast: bool) {
        self.graphs += 1;
        let graph = self.input.graphs.get(name);
        let empty = Graph::default();
        let plan = self.plan(graph.unwrap_or(&empty));
        self.engine.load(plan, fast);
    }

    fn plan(&mut self, graph: &Graph) -> Plan<Scripted> {
        let mut nodes = Vec::new();
        let mut places = HashMap::new();
        for vertex in &graph.vertices {
            let resource = Scripted::new(Rc::new(vertex.clone()));
            let label = format!("{}@{}", vertex.name, self.graphs);
            let node = self.engine.instance(resource, label);
            self.keys.insert(vertex.name.clone(), node.key.clone());
            places.insert(vertex.name.as_str(), (nodes.len(), node.key.clone()));
            nodes.push(node);
        }
        let mut plan = Plan::new(nodes);
        for edge in &graph.edges {
            let ends = (places.get(edge.from.as_str()), places.get(edge.to.as_str()));
            let (Some((from, from_key)), Some((to, to_key))) = ends else {
                continue;
            };
            let name = edge
                .name
                .clone()
                .unwrap_or_else(|| format!("{from_key} -> {to_key}"));
            plan.add_edge(PlanEdge {
                from: *from,
                to: *to,
                name,
                notify: edge.notify,
            });
        }
        plan
    }

    /// The running vertex with this name.
    fn vertex(&self, name: &str) -> Option<VertexId> {
        let known = self.keys.get(name).and_then(|key| self.engine.find(key));
        known.or_else(|| {
            let mut running = self.engine.running().iter().copied();
            running.find(|id| {
                use crate::resource::Resource;
                self.engine
                    .resource(*id)
                    .is_some_and(|resource| resource.name() == name)
            })
        })
    }

    fn tell(&mut self, action: &Action) -> String {
        let name = action.at.as_deref().unwrap_or_default();
        let Some(id) = self.vertex(name) else {
            return "no such vertex".to_owned();
        };
        let watching = self.engine.is_watching(id);
        let Some(resource) = self.engine.resource_mut(id) else {
            return "no such vertex".to_owned();
        };
        if action.wrong || action.verb == Verb::Wrong {
            resource.set_wrong();
        }
        let told = match (action.verb, action.cmd) {
            (Verb::Wrong, _) => return "ok".to_owned(),
            (Verb::Watch, Some(command)) => WatchCommand::Command(command),
            _ => WatchCommand::Events(action.n),
        };
        if !watching {
            return "no watch running".to_owned();
        }
        resource.tell(told);
        self.engine.wake_watch(id);
        "ok".to_owned()
    }

    /// Waits for quiet: no call for a while, and none that waits for time to pass.
    fn settle(&mut self, started: u64) {
        self.engine.run_ready();
        loop {
            let last = self.engine.trace.last_call_ms.max(started);
            let quiet = last.saturating_add(self.input.quiet_ms);
            let next = self.engine.next_time();
            match next {
                Some(next)
                    if (next <= quiet || self.engine.is_busy())
                        && next.saturating_sub(started) <= LONGEST_MS =>
                {
                    self.engine.advance_to(next);
                }
                _ => {
                    let quiet = quiet.max(self.engine.now());
                    self.engine.advance_to(quiet);
                    return;
                }
            }
        }
    }

    fn phase(&mut self, outcome: String) -> Map<String, Json> {
        let mut fields = Map::new();
        fields.insert("outcome".to_owned(), Json::from(outcome));
        if !self.background {
            self.look_at_graph(&mut fields);
        }
        let log = std::mem::take(&mut self.engine.log);
        if !log.is_empty() {
            fields.insert("engine_log".to_owned(), Json::from(log));
        }
        let converged = std::mem::take(&mut self.engine.converger.reports);
        if !converged.is_empty() {
            fields.insert("converged".to_owned(), Json::from(converged));
        }
        fields
    }

    fn look_at_graph(&mut self, fields: &mut Map<String, Json>) {
        let graph = self.engine.graph();
        if graph != self.last_graph {
            fields.insert("graph".to_owned(), graph.clone());
            self.last_graph = graph;
        }
        let pending = self.engine.pending();
        if !pending.is_empty() {
            let pending = pending.into_iter().map(|ends| Json::from(ends.to_vec()));
            fields.insert("refresh_pending".to_owned(), Json::Array(pending.collect()));
        }
    }
}
