//! A graph before it runs.

use std::collections::HashMap;
use std::collections::VecDeque;

use crate::node::Node;
use crate::resource::Resource;

/// An edge of a plan, by places of its ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanEdge {
    /// The place of the vertex that comes first.
    pub from: usize,
    /// The place of the vertex that waits.
    pub to: usize,
    /// The name.
    pub name: String,
    /// Whether a change at `from` is told to `to`.
    pub notify: bool,
}

/// A graph before it runs. A vertex that was grouped leaves its place empty.
#[derive(Debug)]
pub struct Plan<R> {
    /// The vertices by place.
    pub nodes: Vec<Option<Node<R>>>,
    /// Vertices without edges that are added last, such as reversals of what is gone.
    pub late: Vec<Node<R>>,
    edges: HashMap<(usize, usize), PlanEdge>,
    order: Vec<(usize, usize)>,
    children: HashMap<usize, Vec<usize>>,
}

/// The graph has a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycle;

impl<R: Resource> Plan<R> {
    /// A plan of these vertices.
    pub fn new(nodes: Vec<Node<R>>) -> Plan<R> {
        Plan {
            nodes: nodes.into_iter().map(Some).collect(),
            late: Vec::new(),
            edges: HashMap::new(),
            order: Vec::new(),
            children: HashMap::new(),
        }
    }

    /// Adds an edge; it replaces one between the same vertices.
    pub fn add_edge(&mut self, edge: PlanEdge) {
        let ends = (edge.from, edge.to);
        if self.edges.insert(ends, edge).is_none() {
            self.order.push(ends);
            self.children.entry(ends.0).or_default().push(ends.1);
        }
    }

    /// All edges, in the order of their making.
    pub fn edges(&self) -> impl Iterator<Item = &PlanEdge> {
        self.order.iter().filter_map(|ends| self.edges.get(ends))
    }

    /// The places that hold a vertex.
    pub fn places(&self) -> Vec<usize> {
        (0..self.nodes.len())
            .filter(|place| self.nodes[*place].is_some())
            .collect()
    }

    /// The places, parents before children.
    pub fn sorted(&self) -> Result<Vec<usize>, Cycle> {
        let edges = self.order.iter().copied();
        let sorted = topological(self.nodes.len(), edges).ok_or(Cycle)?;
        Ok(sorted
            .into_iter()
            .filter(|place| self.nodes[*place].is_some())
            .collect())
    }

    /// Moves the edges of `member` to `head`. Where there is a way already, the edge joins that:
    /// all edges of the way notify if it did.
    pub fn move_edges(&mut self, member: usize, head: usize) {
        let mut moved = Vec::new();
        let order = std::mem::take(&mut self.order);
        for ends in order {
            if ends.0 != member && ends.1 != member {
                self.order.push(ends);
            } else if let Some(edge) = self.edges.remove(&ends) {
                if let Some(children) = self.children.get_mut(&ends.0) {
                    children.retain(|child| *child != ends.1);
                }
                moved.push(edge);
            }
        }
        // Those that lead to the member first.
        moved.sort_by_key(|edge| edge.from == member);
        for mut edge in moved {
            if edge.from == member {
                edge.from = head;
            } else {
                edge.to = head;
            }
            if edge.from == edge.to {
                continue;
            }
            match self.way(edge.from, edge.to) {
                None => self.add_edge(edge),
                Some(way) => {
                    for ends in way {
                        if let Some(there) = self.edges.get_mut(&ends) {
                            there.notify |= edge.notify;
                        }
                    }
                }
            }
        }
    }

    /// The edges of a shortest way from one vertex to another.
    fn way(&self, start: usize, goal: usize) -> Option<Vec<(usize, usize)>> {
        let mut before: HashMap<usize, usize> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(place) = queue.pop_front() {
            for child in self.children.get(&place).into_iter().flatten() {
                if *child == start || before.contains_key(child) {
                    continue;
                }
                before.insert(*child, place);
                if *child == goal {
                    let mut way = Vec::new();
                    let mut at = goal;
                    while let Some(parent) = before.get(&at) {
                        way.push((*parent, at));
                        at = *parent;
                    }
                    return Some(way);
                }
                queue.push_back(*child);
            }
        }
        None
    }

    /// Whether one of the two can be reached from the other.
    pub fn connected(&self, one: usize, other: usize) -> bool {
        self.way(one, other).is_some() || self.way(other, one).is_some()
    }
}

/// Numbers below `count`, each before those that an edge leads to; `None` with a cycle.
pub fn topological(
    count: usize,
    edges: impl Iterator<Item = (usize, usize)>,
) -> Option<Vec<usize>> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut parents = vec![0_usize; count];
    for (from, to) in edges {
        children.get_mut(from)?.push(to);
        *parents.get_mut(to)? += 1;
    }
    let mut ready: VecDeque<usize> = (0..count).filter(|place| parents[*place] == 0).collect();
    let mut sorted = Vec::with_capacity(count);
    while let Some(place) = ready.pop_front() {
        sorted.push(place);
        for child in std::mem::take(&mut children[place]) {
            parents[child] -= 1;
            if parents[child] == 0 {
                ready.push_back(child);
            }
        }
    }
    (sorted.len() == count).then_some(sorted)
}

#[cfg(test)]
mod tests {
    use super::{Plan, PlanEdge, topological};
    use crate::scripted::Scripted;

    #[test]
    fn parents_come_first_and_a_cycle_is_seen() {
        let edges = [(1, 2), (2, 0)].into_iter();
        assert_eq!(Some(vec![1, 2, 0]), topological(3, edges));
        assert_eq!(None, topological(2, [(0, 1), (1, 0)].into_iter()));
    }

    #[test]
    fn a_moved_edge_joins_the_way_that_is_there() {
        let mut plan: Plan<Scripted> = Plan::new(Vec::new());
        for (from, to, notify) in [(0, 1, false), (1, 2, true), (3, 2, true), (4, 3, false)] {
            let name = format!("{from} -> {to}");
            plan.add_edge(PlanEdge {
                from,
                to,
                name,
                notify,
            });
        }
        // 3 joins 0, from which a way leads to 2 already.
        plan.move_edges(3, 0);
        let edges: Vec<_> = plan
            .edges()
            .map(|edge| (edge.from, edge.to, edge.notify))
            .collect();
        assert_eq!(vec![(0, 1, true), (1, 2, true), (4, 0, false)], edges);
    }
}
