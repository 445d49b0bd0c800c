//! Tells what the engine did, and counts it.

use crate::event::{Came, Edge, End, GraphEvent, Summary, What};
use crate::given::Given;
use crate::host::Remark;
use crate::resource::HostResource;
use mgmt_engine::{Engine, Item, Resource};
use serde_json::{Map, Value as Json};
use std::collections::HashMap;
use stickler_rpc::Caller;

/// An instance of a vertex.
#[derive(Clone, Debug, Default)]
struct Known {
    key: String,
    graph: usize,
    checks: usize,
    changes: usize,
}

/// What was told so far.
pub(crate) struct Record<'r> {
    tell: &'r mut dyn FnMut(&GraphEvent),
    known: HashMap<String, Known>,
    graphs: usize,
    /// How many items of the engine's trace were looked at.
    seen: usize,
    /// Calls that have not ended.
    open: Vec<usize>,
    misuses: usize,
}

impl<'r> Record<'r> {
    pub(crate) fn new(tell: &'r mut dyn FnMut(&GraphEvent)) -> Record<'r> {
        Record {
            tell,
            known: HashMap::new(),
            graphs: 0,
            seen: 0,
            open: Vec::new(),
            misuses: 0,
        }
    }

    pub(crate) fn tell(&mut self, at_ms: u64, what: What) {
        (self.tell)(&GraphEvent { at_ms, what });
    }

    /// A graph comes.
    pub(crate) fn graph<C: Caller>(
        &mut self,
        given: &Given<C>,
        late: &[HostResource<C>],
        now: u64,
    ) {
        self.graphs += 1;
        let mut vertices = Vec::new();
        for resource in given.resources.iter().chain(late) {
            let key = format!("{}[{}]", resource.kind(), resource.name());
            vertices.push(key.clone());
            let known = Known {
                key,
                graph: self.graphs,
                ..Known::default()
            };
            self.known.insert(resource.label().to_owned(), known);
        }
        let edges = given.edges.iter().map(|(from, to, _, notify)| Edge {
            from: vertices[*from].clone(),
            to: vertices[*to].clone(),
            notify: *notify,
        });
        let what = What::Graph {
            number: self.graphs,
            name: given.name.clone(),
            edges: edges.collect(),
            vertices,
        };
        self.tell(now, what);
    }

    fn key(&self, label: &str) -> String {
        let known = self.known.get(label);
        known.map_or_else(|| label.to_owned(), |known| known.key.clone())
    }

    /// What the engine said of the graph as a whole.
    pub(crate) fn said<C: Caller>(&mut self, engine: &mut Engine<HostResource<C>>, now: u64) {
        self.look(engine);
        for line in std::mem::take(&mut engine.log) {
            if let Some(edge) = line.strip_prefix("autoedge: ") {
                let edge = edge.to_owned();
                self.tell(now, What::AutoEdge { edge });
            } else if let Some((vertex, head)) = line
                .strip_prefix("autogroup: ")
                .and_then(|rest| rest.split_once(" into "))
            {
                let (vertex, head) = (vertex.to_owned(), head.to_owned());
                self.tell(now, What::Group { vertex, head });
            }
        }
    }

    pub(crate) fn remarks(&mut self, remarks: Vec<(String, Remark)>, now: u64) {
        for (label, remark) in remarks {
            let vertex = self.key(&label);
            let what = match remark {
                Remark::Log(text) => What::Log { vertex, text },
                Remark::Misuse(text) => {
                    self.misuses += 1;
                    What::Misuse { vertex, text }
                }
            };
            self.tell(now, what);
        }
    }

    /// Tells what the engine did since this was last called; whether something happened that is not a mere look.
    pub(crate) fn look<C: Caller>(&mut self, engine: &Engine<HostResource<C>>) -> bool {
        let items = &engine.trace.items;
        let mut active = false;
        for number in std::mem::take(&mut self.open) {
            active |= self.item(engine, number, &items[number]);
        }
        while let Some(item) = items.get(self.seen) {
            active |= self.item(engine, self.seen, item);
            self.seen += 1;
        }
        active
    }

    fn item<C: Caller>(
        &mut self,
        engine: &Engine<HostResource<C>>,
        number: usize,
        item: &Item,
    ) -> bool {
        let label = engine.instance_label(item.instance);
        let vertex = self.key(label);
        let fields = &item.fields;
        let error = text(fields, "err");
        let call = fields.get("call").and_then(Json::as_str);
        let call = call.unwrap_or_default();
        let mut active = call != "log";
        let what = match call {
            "validate" => What::Validate { vertex, error },
            "init" => What::Init { vertex, error },
            "cleanup" => What::Cleanup { vertex, error },
            "cmp" => What::Cmp { vertex, error },
            "watch_begin" => What::Watch {
                vertex,
                n: fields.get("n").and_then(Json::as_u64).unwrap_or_default(),
            },
            "event" => What::Event {
                vertex,
                first: fields.contains_key("first"),
            },
            "watch_end" => What::WatchEnd {
                vertex,
                error,
                panic: text(fields, "panic"),
            },
            "checkapply" if item.end_phase.is_none() => {
                self.open.push(number);
                return true;
            }
            "checkapply" => {
                let what = self.checked(label, vertex, fields);
                if let What::CheckApply { result, .. } = &what {
                    active = !matches!(result, Came::Ok | Came::WouldChange);
                }
                what
            }
            "log" => {
                let text = text(fields, "msg").unwrap_or_default();
                match text.strip_prefix("Send/Recv: ") {
                    Some(way) => What::SendRecv {
                        vertex,
                        text: way.to_owned(),
                    },
                    None if text == "polling..." => return false,
                    None => What::Engine { vertex, text },
                }
            }
            // The edges and the groups that come of them are told.
            _ => return active,
        };
        self.tell(item.at_ms, what);
        active
    }

    fn checked(&mut self, label: &str, vertex: String, fields: &Map<String, Json>) -> What {
        let apply = fields.get("apply") == Some(&Json::Bool(true));
        let ret = fields.get("ret").and_then(Json::as_array);
        let ok = ret.and_then(|ret| ret.first()) == Some(&Json::Bool(true));
        let error = ret.and_then(|ret| ret.get(1)).and_then(Json::as_str);
        let panic = text(fields, "panic");
        let result = match (&panic, error) {
            (Some(_), _) => Came::Panic,
            (None, Some(_)) => Came::Error,
            (None, None) if ok => Came::Ok,
            (None, None) if apply => Came::Changed,
            (None, None) => Came::WouldChange,
        };
        if let Some(known) = self.known.get_mut(label) {
            known.checks += 1;
            known.changes += usize::from(result == Came::Changed);
        }
        let members = fields.get("group").and_then(Json::as_object);
        let members = members.into_iter().flat_map(Map::keys);
        What::CheckApply {
            vertex,
            apply,
            refresh: fields.get("refresh") == Some(&Json::Bool(true)),
            result,
            error: panic.or_else(|| error.map(str::to_owned)),
            sent: fields.get("sent").cloned(),
            members: members.map(|label| self.key(label)).collect(),
        }
    }

    /// How all ended.
    pub(crate) fn ends(
        &mut self,
        ends: Vec<(String, String)>,
        summary: Summary,
        now: u64,
    ) -> Summary {
        let mut summary = Summary {
            misuses: self.misuses,
            ..summary
        };
        for (label, state) in ends {
            let Some(known) = self.known.get(&label).cloned() else {
                continue;
            };
            let (state, error) = match state.split_once(": ") {
                Some(("failed", error)) => ("failed", Some(error.to_owned())),
                Some(("not added", _)) => ("kept", None),
                _ => (&*state, None),
            };
            let end = End {
                vertex: known.key,
                graph: known.graph,
                state: state.to_owned(),
                error,
                checks: known.checks,
                changes: known.changes,
            };
            summary.vertices += 1;
            summary.checks += end.checks;
            summary.changes += end.changes;
            summary.failed += usize::from(end.is_bad());
            self.tell(now, What::End(end));
        }
        self.tell(now, What::Summary(summary));
        summary
    }
}

fn text(fields: &Map<String, Json>, key: &str) -> Option<String> {
    fields.get(key)?.as_str().map(str::to_owned)
}
