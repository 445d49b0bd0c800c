//! The Watch loop of a vertex.

use serde_json::Value as Json;

use crate::engine::{Engine, Task};
use crate::ids::VertexId;
use crate::resource::{Context, Ended, Failure, Offered, Resource, WatchStep};
use crate::retry;
use crate::trace::Lane;
use crate::vertex::{Offer, Process, Watch};

impl<R: Resource> Engine<R> {
    pub(crate) fn run_watch(&mut self, id: VertexId) {
        while self.watch_step(id) {}
    }

    /// One step; whether another may follow at once.
    fn watch_step(&mut self, id: VertexId) -> bool {
        let now = self.now;
        let Some(vertex) = self.vertex_mut(id) else {
            return false;
        };
        match vertex.watch.clone() {
            Watch::Begin if vertex.watchless() => {
                vertex.had_event = true;
                vertex.tick = next_tick(now, vertex.node.meta.poll_s, now);
                vertex.offer = Some(Offer::Event);
                vertex.watch = Watch::Offering;
                self.wake_process(id);
                false
            }
            Watch::Begin => {
                vertex.watches += 1;
                vertex.had_event = false;
                vertex.offered = None;
                let number = vertex.watches;
                vertex.node.resource.begin_watch(number);
                vertex.watch = Watch::Running;
                let instance = vertex.node.id;
                self.trace
                    .note(instance, Lane::Watch, now, "watch_begin", |fields| {
                        fields.insert("n".to_owned(), Json::from(number));
                    });
                true
            }
            Watch::Running => self.poll_watch(id),
            Watch::Offering => {
                if vertex.offer.is_none() {
                    vertex.offered = Some(Offered::Accepted);
                    vertex.watch = match vertex.tick {
                        _ if !vertex.watchless() => Watch::Running,
                        Some(tick) => Watch::Poll(tick),
                        None => Watch::Hold,
                    };
                    if let Watch::Poll(next) = vertex.watch {
                        self.at(next, Task::Watch(id));
                    }
                    return true;
                }
                if !vertex.watch_cancelled {
                    return false;
                }
                vertex.offer = None;
                vertex.offered = Some(Offered::Cancelled);
                let item = vertex.event_item.take();
                if vertex.watchless() {
                    vertex.watch = Watch::Hold;
                    return true;
                }
                vertex.watch = Watch::Running;
                if let Some(item) = item {
                    self.trace.end(item, now, |fields| {
                        fields.insert("result".to_owned(), Json::from("cancelled"));
                    });
                }
                true
            }
            Watch::Restarting => {
                if vertex.offer.is_some() {
                    return false;
                }
                let delay = vertex.node.meta.delay_ms;
                let wait = vertex.watch_spin.wait(delay, now);
                vertex.watch = Watch::Delay(now + wait);
                let left = vertex.watch_retries;
                let instance = vertex.node.id;
                if let Some(line) = retry::line("Watch", delay, left) {
                    self.trace.log(instance, Lane::Watch, now, &line);
                }
                self.at(now + wait, Task::Watch(id));
                true
            }
            Watch::Delay(until) => {
                if now < until && !vertex.watch_cancelled {
                    return false;
                }
                vertex.watch = Watch::Begin;
                true
            }
            Watch::Poll(next) => {
                if vertex.watch_cancelled {
                    vertex.watch = Watch::Hold;
                    return true;
                }
                if now < next {
                    return false;
                }
                vertex.tick = next_tick(next, vertex.node.meta.poll_s, now);
                vertex.offer = Some(Offer::Event);
                vertex.watch = Watch::Offering;
                let instance = vertex.node.id;
                self.trace.log(instance, Lane::Watch, now, "polling...");
                self.wake_process(id);
                false
            }
            Watch::Hold => {
                if !vertex.watch_cancelled {
                    return false;
                }
                vertex.watch = Watch::Ended;
                self.wake_process(id);
                false
            }
            Watch::Ended => false,
        }
    }

    fn poll_watch(&mut self, id: VertexId) -> bool {
        let now = self.now;
        let Some(Some(vertex)) = self.vertices.get_mut(id) else {
            return false;
        };
        if std::mem::take(&mut vertex.watch_sleeps) {
            self.sleeping -= 1;
        }
        let mut context = Context {
            now,
            ended: vertex.watch_cancelled.then_some(Ended::Cancelled),
            event: vertex.offered.take(),
            wake_at: None,
            wake_gate: None,
            gates: &self.gates,
        };
        let step = vertex.node.resource.poll_watch(&mut context);
        let (wake_at, wake_gate) = (context.wake_at, context.wake_gate);
        let instance = vertex.node.id;
        match step {
            WatchStep::Wait => {
                vertex.watch_sleeps = wake_at.is_some();
                if let Some(time) = wake_at {
                    self.sleeping += 1;
                    self.at(time, Task::Watch(id));
                }
                if let Some(gate) = wake_gate {
                    self.gates.wait(gate, id);
                }
                false
            }
            WatchStep::Event => {
                let first = !std::mem::replace(&mut vertex.had_event, true);
                vertex.offer = Some(Offer::Event);
                vertex.watch = Watch::Offering;
                let item = self
                    .trace
                    .begin(instance, Lane::Watch, now, "event", |fields| {
                        if first {
                            fields.insert("first".to_owned(), Json::Bool(true));
                        }
                    });
                if let Some(vertex) = self.vertex_mut(id) {
                    vertex.event_item = Some(item);
                }
                self.wake_process(id);
                // With its context ended, the event is still taken or not when it is looked at.
                true
            }
            WatchStep::End(result) => {
                self.trace.note(
                    instance,
                    Lane::Watch,
                    now,
                    "watch_end",
                    |fields| match &result {
                        Ok(()) => {}
                        Err(Failure::Error(error)) => {
                            fields.insert("err".to_owned(), Json::from(error.as_str()));
                        }
                        Err(Failure::Panic(panic)) => {
                            fields.insert("panic".to_owned(), Json::from(panic.as_str()));
                        }
                    },
                );
                self.watch_ended(id, result);
                true
            }
        }
    }

    fn watch_ended(&mut self, id: VertexId, result: Result<(), Failure>) {
        let now = self.now;
        let Some(vertex) = self.vertex_mut(id) else {
            return;
        };
        let error = match result {
            Ok(()) => None,
            Err(Failure::Error(error)) if error == Ended::Cancelled.error() => None,
            Err(Failure::Error(error)) => Some(error),
            Err(Failure::Panic(panic)) => Some(format!("panic in Watch: {panic}")),
        };
        let Some(error) = error else {
            vertex.watch_returned_nil = !vertex.watch_cancelled;
            vertex.watch = Watch::Ended;
            self.wake_process(id);
            return;
        };
        // What runs was started by events that may now be lost; it is not let go on.
        if matches!(vertex.process, Process::Checking | Process::Sema(_)) {
            vertex.cancel = Some(Ended::Cancelled);
        }
        vertex.watch = Watch::Restarting;
        vertex.offer = Some(match retry::take(&mut vertex.watch_retries) {
            Some(_) => Offer::Restart,
            None => Offer::Fatal(format!("watch failed: {error}")),
        });
        let instance = vertex.node.id;
        self.trace
            .log(instance, Lane::Watch, now, &format!("Watch Error: {error}"));
        self.wake_process(id);
    }
}

/// The next tick of a clock that ticks every so many seconds; ticks that nobody saw are lost.
fn next_tick(last: u64, every_s: i64, now: u64) -> Option<u64> {
    let every = u64::try_from(every_s).ok().filter(|seconds| *seconds > 0)?;
    let every = every.saturating_mul(1000);
    let missed = now.saturating_sub(last) / every;
    Some(last.saturating_add(every.saturating_mul(missed.saturating_add(1))))
}

#[cfg(test)]
mod tests {
    use super::next_tick;

    #[test]
    fn ticks_keep_their_distance_and_do_not_pile_up() {
        assert_eq!(Some(3000), next_tick(2000, 1, 2500));
        assert_eq!(Some(6000), next_tick(2000, 1, 5500));
        assert_eq!(None, next_tick(0, -1, 0));
    }
}
