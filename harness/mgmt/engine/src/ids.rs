//! Numbers of what an engine knows.

/// The number of a running vertex, never used again.
pub type VertexId = usize;

/// The number of an instance, unique in one engine.
pub type InstanceId = usize;

/// The number of an edge in the running graph.
pub(crate) type EdgeId = usize;
