//! Pokes: a vertex wakes its parents or its children.

use crate::engine::Engine;
use crate::ids::VertexId;
use crate::resource::Resource;

impl<R: Resource> Engine<R> {
    /// Pokes the parents that are not newer than the vertex; whether there is one.
    pub(crate) fn poke_older_parents(&mut self, id: VertexId) -> bool {
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

    pub(crate) fn all_parents_newer(&mut self, child: VertexId) -> bool {
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
