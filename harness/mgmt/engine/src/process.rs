//! The Process loop of a vertex: when CheckApply is called, and what follows from it.

use serde_json::{Map, Value as Json};

use crate::engine::{Engine, Task};
use crate::ids::VertexId;
use crate::node::{Members, Node};
use crate::resource::{Check, Checked, Context, Ended, Failure, Resource};
use crate::retry;
use crate::trace::Lane;
use crate::value::Value;
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
        if let Some(offer) = vertex.offer.clone() {
            self.take_offer(id, &offer, wait);
            return true;
        }
        if vertex.watch == Watch::Ended {
            vertex.process = Process::Done;
            return false;
        }
        match wait {
            Wait::Idle => {
                if !std::mem::take(&mut vertex.poke) {
                    return false;
                }
                vertex.started && self.start_process(id)
            }
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

    fn back_to_idle(&mut self, id: VertexId) -> bool {
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

    /// Pokes the parents that are not newer than the vertex; whether there is one.
    fn poke_older_parents(&mut self, id: VertexId) -> bool {
        let Some(vertex) = self.vertex(id) else {
            return false;
        };
        let older: Vec<VertexId> = vertex
            .parents
            .iter()
            .map(|edge| self.edge(*edge).from)
            .filter(|parent| {
                self.vertex(*parent)
                    .is_some_and(|one| one.stamp <= vertex.stamp)
            })
            .collect();
        for parent in &older {
            self.poke(*parent);
        }
        !older.is_empty()
    }

    pub(crate) fn poke(&mut self, id: VertexId) {
        // A vertex that has not started, or no longer runs, hears no poke.
        if let Some(vertex) = self.vertex_mut(id).filter(|vertex| vertex.started) {
            vertex.poke = true;
            self.wake_process(id);
        }
    }

    fn take_semas(&mut self, id: VertexId, held: usize) -> bool {
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

    fn give_semas(&mut self, id: VertexId, held: usize) {
        let semas = self.vertex(id).map(|vertex| vertex.node.meta.sema.clone());
        for name in semas.iter().flatten().take(held) {
            if let Some(next) = self.semas.give(name) {
                self.wake_process(next);
            }
        }
    }

    /// Receives values, and decides whether CheckApply is called.
    fn decide(&mut self, id: VertexId) -> bool {
        let now = self.now;
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

        vertex.checks += 1;
        let check = Check {
            apply: !noop,
            refresh: vertex.node.refresh,
        };
        let number = vertex.checks;
        let instance = vertex.node.id;
        vertex.node.resource.begin_check(check);
        vertex.process = Process::Checking;
        let timeout = vertex.node.meta.timeout_ms;
        if timeout > 0 {
            vertex.deadline = Some(now + timeout);
            self.at(now + timeout, Task::Process(id));
        }
        self.checking += 1;
        self.peak = self.peak.max(self.checking);
        let Some(Some(vertex)) = self.vertices.get_mut(id) else {
            return false;
        };
        let node = &vertex.node;
        let item = self
            .trace
            .begin(instance, Lane::Run, now, "checkapply", |fields| {
                fields.insert("n".to_owned(), Json::from(number));
                fields.insert("apply".to_owned(), Json::Bool(check.apply));
                if node.traits.refresh {
                    fields.insert("refresh".to_owned(), Json::Bool(check.refresh));
                }
                if let Some(received) = node.received() {
                    fields.insert("recv".to_owned(), received);
                }
                if !node.members.is_empty() {
                    fields.insert("group".to_owned(), members(node));
                }
            });
        vertex.check_item = item;
        // A call takes longer than what the engine does by itself.
        vertex.again = true;
        false
    }

    fn poll_check(&mut self, id: VertexId) -> bool {
        let now = self.now;
        let Some(Some(vertex)) = self.vertices.get_mut(id) else {
            return false;
        };
        if std::mem::take(&mut vertex.check_sleeps) {
            self.sleeping -= 1;
        }
        let late = vertex.deadline.is_some_and(|deadline| deadline <= now);
        let ended = vertex.cancel.or(late.then_some(Ended::Deadline));
        let mut context = Context {
            now,
            ended,
            event: None,
            wake_at: None,
            wake_gate: None,
            gates: &self.gates,
        };
        let node = &mut vertex.node;
        let mut group = Members::new(&mut node.members);
        let checked = node.resource.poll_check(&mut context, &mut group);
        let group_sent = group.sent;
        let (wake_at, wake_gate) = (context.wake_at, context.wake_gate);
        let Some(checked) = checked else {
            let lost = matches!(vertex.offer, Some(Offer::Restart | Offer::Fatal(_)));
            if lost && vertex.cancel.is_none() {
                vertex.cancel = Some(Ended::Cancelled);
                return true;
            }
            vertex.check_sleeps = wake_at.is_some();
            if let Some(time) = wake_at {
                self.sleeping += 1;
                self.at(time, Task::Process(id));
            }
            if let Some(gate) = wake_gate {
                self.gates.wait(gate, id);
            }
            return false;
        };
        self.checking -= 1;
        let item = vertex.check_item;
        self.trace.end(item, now, |fields| {
            returned(fields, &checked, group_sent);
        });
        self.checked(id, checked, late)
    }

    fn checked(&mut self, id: VertexId, checked: Checked, late: bool) -> bool {
        let now = self.now;
        let Some(vertex) = self.vertex_mut(id) else {
            return false;
        };
        let Checked { ok, failure, sent } = checked;
        if sent.is_some() {
            vertex.node.sent = sent;
        }
        let Some(failure) = failure else {
            vertex.node.clear_received();
            return self.process_done(id, ok, true);
        };
        if vertex.cancel.is_some() {
            let instance = vertex.node.id;
            self.trace
                .log(instance, Lane::Run, now, "process interrupted");
            self.leave_semas(id);
            return self.back_to_idle(id);
        }
        let seconds = vertex.node.meta.timeout_ms as f64 / 1000.0;
        let error = match failure {
            Failure::Panic(panic) => format!("panic in CheckApply: {panic}"),
            Failure::Error(error) if ok => {
                let late = if late {
                    format!(" timeout after {seconds:.3} seconds [stack]")
                } else {
                    String::new()
                };
                let apply = !vertex.node.meta.noop;
                let key = &vertex.node.key;
                format!(
                    "{key}: resource programming error: CheckApply({apply}): true, {error}{late}"
                )
            }
            Failure::Error(error) if late && error == Ended::Deadline.error() => {
                format!("timeout after {seconds:.3} seconds")
            }
            Failure::Error(error) if late => format!("timeout after {seconds:.3} seconds: {error}"),
            Failure::Error(error) => error,
        };
        self.process_failed(id, &error)
    }

    fn leave_semas(&mut self, id: VertexId) {
        let count = self
            .vertex(id)
            .map_or(0, |vertex| vertex.node.meta.sema.len());
        self.give_semas(id, count);
    }

    fn process_failed(&mut self, id: VertexId, error: &str) -> bool {
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
    fn process_done(&mut self, id: VertexId, ok: bool, called: bool) -> bool {
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

    fn all_parents_newer(&mut self, child: VertexId) -> bool {
        let Some(vertex) = self.vertex(child) else {
            return false;
        };
        let count = vertex.parents.len();
        // Most often the parent that was older the last time still is.
        for step in 0..count {
            let place = (vertex.older + step) % count;
            let Some(edge) = vertex.parents.get(place) else {
                return false;
            };
            let parent = self.edge(*edge).from;
            if self
                .vertex(parent)
                .is_some_and(|parent| parent.stamp <= vertex.stamp)
            {
                if let Some(vertex) = self.vertex_mut(child) {
                    vertex.older = place;
                }
                return false;
            }
        }
        true
    }
}

fn members<R: Resource>(node: &Node<R>) -> Json {
    let mut group = Map::new();
    node.each_member(&mut |member| {
        let mut fields = Map::new();
        if let Some(received) = member.received() {
            fields.insert("recv".to_owned(), received);
        }
        group.insert(member.label.clone(), Json::Object(fields));
    });
    Json::Object(group)
}

/// What a recording shows of an answer.
fn returned(fields: &mut Map<String, Json>, checked: &Checked, group_sent: Vec<(String, Value)>) {
    if let Some(sent) = &checked.sent {
        fields.insert("sent".to_owned(), sent.plain.json());
    }
    if !group_sent.is_empty() {
        let sent = group_sent
            .into_iter()
            .map(|(label, value)| (label, value.json()));
        fields.insert("group_sent".to_owned(), Json::Object(sent.collect()));
    }
    match &checked.failure {
        None => fields.insert(
            "ret".to_owned(),
            Json::Array(vec![checked.ok.into(), Json::Null]),
        ),
        Some(Failure::Error(error)) => fields.insert(
            "ret".to_owned(),
            Json::Array(vec![checked.ok.into(), error.as_str().into()]),
        ),
        Some(Failure::Panic(panic)) => fields.insert("panic".to_owned(), panic.as_str().into()),
    };
}
