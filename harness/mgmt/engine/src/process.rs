//! The Process loop of a vertex: what it waits for, and how it ends.

use serde_json::Value as Json;

use crate::engine::Engine;
use crate::engine::Task;
use crate::ids::VertexId;
use crate::resource::Resource;
use crate::trace::Lane;
use crate::vertex::{Offer, Process, Wait, Watch};

impl<R: Resource> Engine<R> {
    pub(crate) fn run_process(&mut self, id: VertexId) {
        while self.process_step(id) {}
    }

    /// One step; whether another may follow at once.
    fn process_step(&mut self, id: VertexId) -> bool {
        let Some(vertex) = self.vertex_mut(id) else {
            return false;
        };
        match vertex.process.clone() {
            Process::Paused(wait) => {
                if vertex.leaving {
                    vertex.process = Process::Closing;
                    return true;
                }
                if vertex.pause {
                    return false;
                }
                vertex.process = Process::Waiting(wait);
                true
            }
            Process::Waiting(wait) => self.wait_step(id, wait),
            Process::Sema(held) => {
                if vertex.cancel.is_some() {
                    self.give_semas(id, held);
                    return self.back_to_idle(id);
                }
                self.take_semas(id, held)
            }
            Process::Checking => self.poll_check(id),
            Process::Failing(error) => {
                self.drain(id);
                self.close_when_watch_ended(id, Some(error))
            }
            Process::Closing => {
                self.drain(id);
                self.close_when_watch_ended(id, None)
            }
            Process::Done => {
                self.drain(id);
                if let Some(vertex) = self.vertex_mut(id) {
                    vertex.poke = false;
                }
                false
            }
        }
    }

    fn wait_step(&mut self, id: VertexId, wait: Wait) -> bool {
        let now = self.now;
        let Some(vertex) = self.vertex_mut(id) else {
            return false;
        };
        if vertex.leaving {
            vertex.process = Process::Closing;
            return true;
        }
        if vertex.pause {
            vertex.process = Process::Paused(wait);
            return false;
        }
        if matches!(wait, Wait::Retry(until) if now >= until) {
            return self.start_process(id);
        }
        let lost = matches!(vertex.offer, Some(Offer::Restart | Offer::Fatal(_)))
            || vertex.watch == Watch::Ended;
        // The real engine takes what comes first by chance; here a poke goes before an event.
        if wait == Wait::Idle && !lost && std::mem::take(&mut vertex.poke) && vertex.started {
            return self.start_process(id);
        }
        if let Some(offer) = vertex.offer.clone() {
            self.take_offer(id, &offer, wait);
            return true;
        }
        if vertex.watch == Watch::Ended {
            vertex.process = Process::Done;
            return false;
        }
        match wait {
            Wait::Idle => false,
            Wait::Limit(until) | Wait::Retry(until) => now >= until && self.start_process(id),
        }
    }

    /// Takes what the Watch loop hands over.
    fn take_offer(&mut self, id: VertexId, offer: &Offer, wait: Wait) {
        let now = self.now;
        self.accept(id);
        if *offer == Offer::Event {
            // Watch goes on while the Process only begins.
            self.run_watch(id);
        }
        let Some(vertex) = self.vertex_mut(id) else {
            return;
        };
        match offer {
            Offer::Event => {
                vertex.started = true;
                vertex.state_ok = false;
                let limiter = vertex.limiter.as_mut();
                let delay = limiter.map_or(0, |limiter| limiter.reserve(now));
                match wait {
                    Wait::Idle if delay == 0 => {
                        self.start_process(id);
                    }
                    Wait::Idle => {
                        vertex.process = Process::Waiting(Wait::Limit(now + delay));
                        let (rate, burst) = (vertex.node.meta.limit, vertex.node.meta.burst);
                        let rate = rate.unwrap_or_default();
                        let line = format!("limited (rate: {rate}/sec, burst: {burst}, next: Nms)");
                        let instance = vertex.node.id;
                        self.trace.log(instance, Lane::Run, now, &line);
                        self.at(now + delay, Task::Process(id));
                    }
                    // The Process that waits runs for this event, too.
                    Wait::Limit(_) | Wait::Retry(_) => {}
                }
                self.settle(id);
            }
            Offer::Restart => {
                vertex.started = false;
                vertex.poke = false;
                vertex.process = Process::Waiting(Wait::Idle);
            }
            Offer::Fatal(error) => {
                vertex.watch = Watch::Ended;
                self.fail(id, error.clone());
            }
        }
    }

    /// Tells the Watch loop that its offer was taken.
    fn accept(&mut self, id: VertexId) {
        let now = self.now;
        let Some(vertex) = self.vertex_mut(id) else {
            return;
        };
        let offer = vertex.offer.take();
        let item = vertex.event_item.take();
        if let (Some(Offer::Event), Some(item)) = (offer, item) {
            self.trace.end(item, now, |fields| {
                fields.insert("result".to_owned(), Json::from("accepted"));
            });
        }
        self.wake_watch(id);
    }

    /// Takes offers for which nothing is done any more.
    fn drain(&mut self, id: VertexId) {
        let Some(vertex) = self.vertex_mut(id) else {
            return;
        };
        match vertex.offer.clone() {
            Some(Offer::Fatal(error)) => {
                self.accept(id);
                let Some(vertex) = self.vertex_mut(id) else {
                    return;
                };
                vertex.watch = Watch::Ended;
                if vertex.process != Process::Done && !matches!(vertex.process, Process::Failing(_))
                {
                    vertex.error = Some(error.clone());
                    let instance = vertex.node.id;
                    let now = self.now;
                    self.trace
                        .log(instance, Lane::Run, now, &format!("Error: {error}"));
                }
            }
            Some(_) => self.accept(id),
            None => {}
        }
    }

    fn close_when_watch_ended(&mut self, id: VertexId, error: Option<String>) -> bool {
        let Some(vertex) = self.vertex_mut(id) else {
            return false;
        };
        if vertex.watch != Watch::Ended {
            return false;
        }
        vertex.process = Process::Done;
        if let Some(error) = error {
            self.fail(id, error);
        }
        true
    }

    /// The vertex is dead.
    fn fail(&mut self, id: VertexId, error: String) {
        let now = self.now;
        let Some(vertex) = self.vertex_mut(id) else {
            return;
        };
        vertex.process = Process::Done;
        let instance = vertex.node.id;
        let line = format!("Error: {error}");
        vertex.error = Some(error);
        self.trace.log(instance, Lane::Run, now, &line);
    }

    pub(crate) fn back_to_idle(&mut self, id: VertexId) -> bool {
        if let Some(vertex) = self.vertex_mut(id) {
            vertex.process = Process::Waiting(Wait::Idle);
            // Others that are ready get their turn before the next Process.
            vertex.again = true;
        }
        false
    }

    /// Starts a Process.
    fn start_process(&mut self, id: VertexId) -> bool {
        let interrupted = self.interrupted;
        let Some(vertex) = self.vertex_mut(id) else {
            return false;
        };
        vertex.cancel = None;
        vertex.deadline = None;
        vertex.process = Process::Waiting(Wait::Idle);
        if interrupted || self.poke_older_parents(id) {
            return self.back_to_idle(id);
        }
        self.take_semas(id, 0)
    }
}
