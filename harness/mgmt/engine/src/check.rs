//! A call of CheckApply, and what its answer means.

use serde_json::{Map, Value as Json};

use crate::engine::{Engine, Task};
use crate::ids::VertexId;
use crate::node::{Members, Node};
use crate::resource::{Check, Checked, Context, Ended, Failure, Resource};
use crate::trace::Lane;
use crate::value::Value;
use crate::vertex::{Offer, Process};

impl<R: Resource> Engine<R> {
    /// Calls CheckApply.
    pub(crate) fn begin_check(&mut self, id: VertexId) -> bool {
        let now = self.now;
        let Some(vertex) = self.vertex_mut(id) else {
            return false;
        };
        let noop = vertex.node.meta.noop;
        vertex.checks += 1;
        let changed = vertex.node.slots.iter().filter(|(_, slot)| slot.changed);
        let check = Check {
            apply: !noop,
            refresh: vertex.node.refresh,
            changed: changed.map(|(key, _)| key.clone()).collect(),
        };
        let number = vertex.checks;
        let instance = vertex.node.id;
        vertex.node.resource.begin_check(check.clone());
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

    pub(crate) fn poll_check(&mut self, id: VertexId) -> bool {
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

    pub(crate) fn checked(&mut self, id: VertexId, checked: Checked, late: bool) -> bool {
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
