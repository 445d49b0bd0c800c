//! An operation on the engine as a whole, and how far it is.

use crate::ids::VertexId;
use crate::node::Node;
use crate::plan::{Plan, PlanEdge};

/// A vertex of the next graph.
#[derive(Debug)]
pub(crate) enum Next<R> {
    Kept(VertexId),
    New(Box<Node<R>>),
}

/// How far an operation is.
#[derive(Debug)]
pub(crate) enum Step {
    Pausing(Vec<VertexId>, usize),
    Matching,
    Removing(Vec<VertexId>, usize),
    Adding,
    Resuming,
}

/// An operation under way.
#[derive(Debug)]
pub(crate) struct Operation<R> {
    pub step: Step,
    /// The next graph, until it is matched with the running one.
    pub plan: Option<Plan<R>>,
    pub next: Vec<Option<Next<R>>>,
    pub edges: Vec<PlanEdge>,
    /// Whether the graph is changed, or only paused.
    pub commits: bool,
    pub resumes: bool,
    /// What its failure is called.
    pub what: &'static str,
}
