//! What was seen of a run, in the layout of recordings.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::engine::Engine;
use crate::resource::Resource;
use crate::trace::Lane;

/// A run.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// A phase for each action.
    pub phases: Vec<Map<String, Json>>,
    /// The instances by name.
    pub vertices: BTreeMap<String, SeenVertex>,
    /// The largest number of CheckApply at one time.
    pub peak: usize,
}

/// An instance.
#[derive(Clone, Debug, Default)]
pub struct SeenVertex {
    /// Its lanes.
    pub lanes: BTreeMap<Lane, Vec<SeenItem>>,
    /// How it stood at the end.
    pub end: String,
    /// How often it was validated again.
    pub revalidations: u64,
}

impl SeenVertex {
    /// The items of a lane.
    pub fn lane(&self, lane: Lane) -> &[SeenItem] {
        self.lanes.get(&lane).map_or(&[], Vec::as_slice)
    }
}

/// An item of a lane.
#[derive(Clone, Debug)]
pub struct SeenItem {
    /// Its fields, as in a recording.
    pub fields: Map<String, Json>,
    /// Its place in the order of all beginnings and ends.
    pub begin: u64,
    /// The same for its end.
    pub end: u64,
    /// Milliseconds since its phase began.
    pub t_ms: u64,
}

/// Lays out what an engine traced.
pub fn seen<R: Resource>(
    engine: &Engine<R>,
    phases: Vec<Map<String, Json>>,
    phase_starts: &[u64],
    ends: Vec<(String, String)>,
) -> Seen {
    let mut vertices: BTreeMap<String, SeenVertex> = BTreeMap::new();
    for (instance, (label, end)) in ends.into_iter().enumerate() {
        let revalidations = engine
            .trace
            .revalidations
            .get(instance)
            .copied()
            .unwrap_or_default();
        let vertex = SeenVertex {
            lanes: BTreeMap::new(),
            end,
            revalidations,
        };
        vertices.insert(label, vertex);
    }
    for item in &engine.trace.items {
        let mut fields = item.fields.clone();
        fields.insert("phase".to_owned(), Json::from(item.phase));
        match item.end_phase {
            None => {
                fields.insert("unfinished".to_owned(), Json::Bool(true));
            }
            Some(end) if end != item.phase => {
                fields.insert("end_phase".to_owned(), Json::from(end));
            }
            Some(_) => {}
        }
        let start = phase_starts.get(item.phase).copied().unwrap_or_default();
        let vertex = vertices
            .entry(engine.instance_label(item.instance).to_owned())
            .or_default();
        vertex.lanes.entry(item.lane).or_default().push(SeenItem {
            fields,
            begin: item.begin,
            end: item.end,
            t_ms: item.at_ms.saturating_sub(start),
        });
    }
    Seen {
        phases,
        vertices,
        peak: engine.peak(),
    }
}
