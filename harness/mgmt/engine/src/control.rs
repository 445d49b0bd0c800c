//! What is done to the engine as a whole: new graphs, pause, resume, shutdown.

use std::collections::HashMap;

use crate::autoedge::auto_edges;
use crate::autogroup::auto_group;
use crate::commit::validate;
use crate::engine::Engine;
use crate::ids::VertexId;
use crate::operation::{Operation, Step};
use crate::plan::{Plan, topological};
use crate::resource::Resource;
use crate::vertex::{Process, Wait};

impl<R: Resource> Engine<R> {
    /// Whether an operation is under way.
    pub fn is_operating(&self) -> bool {
        self.operation.is_some()
    }

    /// How the last operation ended, once.
    pub fn take_outcome(&mut self) -> Option<String> {
        self.outcome.take()
    }

    /// Gives the engine a graph. A bad one is refused, and the old one runs on.
    pub fn load(&mut self, mut plan: Plan<R>, fast: bool) {
        if self.refuse_stopped() {
            return;
        }
        match self.prepare(&mut plan) {
            Ok(()) => self.begin(Some(plan), true, true, fast, "commit failed"),
            Err(error) => self.outcome = Some(error),
        }
    }

    /// Lets what runs end, and starts nothing more.
    pub fn pause(&mut self, fast: bool) {
        if !self.refuse_stopped() {
            self.begin(None, false, false, fast, "pause failed");
        }
    }

    /// Goes on after a pause.
    pub fn resume(&mut self) {
        if !self.refuse_stopped() {
            self.begin(None, false, true, false, "resume failed");
        }
    }

    /// Pauses, and removes all.
    pub fn shutdown(&mut self) {
        if !self.refuse_stopped() {
            self.begin(
                Some(Plan::new(Vec::new())),
                true,
                false,
                false,
                "shutdown failed",
            );
        }
    }

    fn refuse_stopped(&mut self) -> bool {
        if self.stopped {
            self.outcome = Some("not done: engine stopped".to_owned());
        }
        self.stopped
    }

    fn begin(
        &mut self,
        plan: Option<Plan<R>>,
        commits: bool,
        resumes: bool,
        fast: bool,
        what: &'static str,
    ) {
        let step = if commits || !resumes {
            let order = self.sorted_running();
            Step::Pausing(order, 0)
        } else {
            Step::Resuming
        };
        self.fast_pause = fast;
        self.outcome = None;
        self.operation = Some(Operation {
            step,
            plan,
            next: Vec::new(),
            edges: Vec::new(),
            commits,
            resumes,
            what,
        });
    }

    /// Validate, AutoEdge, AutoGroup.
    fn prepare(&mut self, plan: &mut Plan<R>) -> Result<(), String> {
        let now = self.now;
        for node in plan.nodes.iter_mut().flatten() {
            validate(node, &mut self.trace, now).map_err(|error| {
                format!("validate failed: {} did not Validate: {error}", node.key)
            })?;
        }
        let said = auto_edges(plan, &mut self.trace, now)
            .map_err(|error| format!("autoedge failed: {error}"))?;
        self.log.extend(said);
        let said = auto_group(plan, &mut self.trace, now)
            .map_err(|error| format!("autogroup failed: {error}"))?;
        self.log.extend(said);
        let late = std::mem::take(&mut plan.late);
        plan.nodes.extend(late.into_iter().map(Some));
        plan.sorted()
            .map_err(|_| "cycle found: the graph is not a dag".to_owned())?;
        Ok(())
    }

    /// The running vertices, parents first.
    fn sorted_running(&self) -> Vec<VertexId> {
        let place: HashMap<VertexId, usize> = self
            .running
            .iter()
            .enumerate()
            .map(|(place, id)| (*id, place))
            .collect();
        let edges = self
            .edges
            .iter()
            .filter_map(|edge| Some((*place.get(&edge.from)?, *place.get(&edge.to)?)));
        let sorted = topological(self.running.len(), edges).unwrap_or_default();
        sorted
            .into_iter()
            .filter_map(|place| self.running.get(place).copied())
            .collect()
    }

    /// Goes on with the operation as far as it can.
    pub(crate) fn advance_operation(&mut self) {
        let Some(mut operation) = self.operation.take() else {
            return;
        };
        loop {
            match self.operation_step(&mut operation) {
                Ok(true) => {}
                Ok(false) => {
                    self.operation = Some(operation);
                    return;
                }
                Err(outcome) => {
                    self.outcome = Some(outcome);
                    return;
                }
            }
        }
    }

    /// One step: whether another may follow at once, or how it all ended.
    fn operation_step(&mut self, operation: &mut Operation<R>) -> Result<bool, String> {
        match &mut operation.step {
            Step::Pausing(order, at) => {
                let Some(id) = order.get(*at).copied() else {
                    self.paused = true;
                    if !operation.commits {
                        return Err("ok".to_owned());
                    }
                    operation.step = Step::Matching;
                    return Ok(true);
                };
                let Some(vertex) = self.vertex_mut(id) else {
                    *at += 1;
                    return Ok(true);
                };
                let told = std::mem::replace(&mut vertex.pause, true);
                if matches!(vertex.process, Process::Paused(_) | Process::Done) {
                    *at += 1;
                    return Ok(true);
                }
                // The vertex answers in its own turn.
                if !told {
                    self.wake_process(id);
                }
                Ok(false)
            }
            Step::Matching => {
                let removed = self.match_graphs(operation);
                operation.step = Step::Removing(removed, 0);
                Ok(true)
            }
            Step::Removing(order, at) => {
                let Some(id) = order.get(*at).copied() else {
                    operation.step = Step::Adding;
                    return Ok(true);
                };
                if !self.remove(id, operation.what)? {
                    return Ok(false);
                }
                *at += 1;
                Ok(true)
            }
            Step::Adding => {
                self.add_all(operation)?;
                operation.step = Step::Resuming;
                Ok(true)
            }
            Step::Resuming => {
                if operation.resumes {
                    self.resume_all();
                }
                Err("ok".to_owned())
            }
        }
    }

    /// Lets all go on, children before parents; each that has started tries to run.
    fn resume_all(&mut self) {
        self.paused = false;
        self.fast_pause = false;
        for id in self.sorted_running().into_iter().rev() {
            if let Some(vertex) = self.vertex_mut(id) {
                vertex.pause = false;
                if vertex.started && vertex.process == Process::Paused(Wait::Idle) {
                    vertex.poke = true;
                }
                self.wake_process(id);
            }
        }
    }
}
