//! One Process: whether CheckApply is called, and what follows from its end.

use crate::engine::{Engine, Task};
use crate::ids::VertexId;
use crate::resource::Resource;
use crate::retry;
use crate::trace::Lane;
use crate::vertex::{Process, Wait};

impl<R: Resource> Engine<R> {
    pub(crate) fn take_semas(&mut self, id: VertexId, held: usize) -> bool {
        // They are taken in one order by all, and stay in it.
        let Some(vertex) = self.vertex_mut(id) else {
            return false;
        };
        vertex.node.meta.sema.sort();
        let semas = vertex.node.meta.sema.clone();
        for (place, name) in semas.iter().enumerate().skip(held) {
            if !self.semas.take(name, id) {
                if let Some(vertex) = self.vertex_mut(id) {
                    vertex.process = Process::Sema(place);
                }
                return false;
            }
        }
        self.decide(id)
    }

    pub(crate) fn give_semas(&mut self, id: VertexId, held: usize) {
        let semas = self.vertex(id).map(|vertex| vertex.node.meta.sema.clone());
        for name in semas.iter().flatten().take(held) {
            if let Some(next) = self.semas.give(name) {
                self.wake_process(next);
            }
        }
    }

    pub(crate) fn leave_semas(&mut self, id: VertexId) {
        let count = self
            .vertex(id)
            .map_or(0, |vertex| vertex.node.meta.sema.len());
        self.give_semas(id, count);
    }

    /// Receives values, and decides whether CheckApply is called.
    pub(crate) fn decide(&mut self, id: VertexId) -> bool {
        if let Err(error) = self.receive(id) {
            return self.process_failed(id, &error);
        }
        let Some(vertex) = self.vertex(id) else {
            return false;
        };
        let refresh = vertex.parents.iter().any(|edge| {
            let edge = self.edge(*edge);
            edge.notify && edge.pending
        });
        let Some(vertex) = self.vertex_mut(id) else {
            return false;
        };
        let refreshable = vertex.node.traits.refresh;
        let noop = vertex.node.meta.noop;
        vertex.refreshing = refresh;
        if refreshable {
            vertex.node.refresh = refresh;
        }
        if !(refresh && refreshable) && vertex.state_ok {
            return self.process_done(id, true, false);
        }
        if noop && refresh && refreshable {
            return self.process_done(id, false, false);
        }
        if vertex.node.meta.hidden {
            return self.process_done(id, true, false);
        }

        self.begin_check(id)
    }

    pub(crate) fn process_failed(&mut self, id: VertexId, error: &str) -> bool {
        let now = self.now;
        self.leave_semas(id);
        let Some(Some(vertex)) = self.vertices.get_mut(id) else {
            return false;
        };
        let Some(left) = self.retries.take(&vertex.node.key) else {
            vertex.process = Process::Failing(error.to_owned());
            vertex.watch_cancelled = true;
            self.wake_watch(id);
            return true;
        };
        let delay = vertex.node.meta.delay_ms;
        let instance = vertex.node.id;
        let wait = vertex.check_spin.wait(delay, now);
        vertex.process = Process::Waiting(Wait::Retry(now + wait));
        vertex.again = wait == 0;
        if let Some(line) = retry::line("CheckApply", delay, left) {
            self.trace.log(instance, Lane::Run, now, &line);
        }
        if wait > 0 {
            self.at(now + wait, Task::Process(id));
        }
        wait > 0
    }

    /// A Process without an error: stamps, refreshes, pokes.
    pub(crate) fn process_done(&mut self, id: VertexId, ok: bool, called: bool) -> bool {
        let now = self.now;
        self.leave_semas(id);
        self.stamp += 1;
        let stamp = self.stamp;
        let Some(Some(vertex)) = self.vertices.get_mut(id) else {
            return false;
        };
        let meta = &vertex.node.meta;
        if meta.retry_reset {
            self.retries.renew(&vertex.node.key, meta.retry);
        }
        vertex.stamp = stamp;
        let noop = meta.noop;
        if !noop {
            vertex.state_ok = true;
            if vertex.refreshing {
                vertex.node.refresh = false;
                for edge in &vertex.parents {
                    if self.edges[*edge].notify {
                        self.edges[*edge].pending = false;
                    }
                }
            }
        }
        let tell = !ok && !noop;
        let children = vertex.children.clone();
        let instance = vertex.node.id;
        if tell {
            for edge in &children {
                if self.edges[*edge].notify {
                    self.edges[*edge].pending = true;
                }
            }
        }
        if called && !ok {
            self.converger.touch(now);
        }
        let mut skipped = false;
        for edge in children {
            let child = self.edge(edge).to;
            if !self.all_parents_newer(child) {
                continue;
            }
            if self.fast_pause {
                skipped = true;
            } else {
                self.poke(child);
            }
        }
        if skipped {
            self.trace
                .log(instance, Lane::Run, now, "fast pausing, poke skipped");
        }
        self.back_to_idle(id)
    }
}
