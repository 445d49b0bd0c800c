//! The order of resources: relations, containers, cycles.

use std::collections::{BTreeMap, BTreeSet};

/// A graph of numbered vertices. Those that nothing orders keep the order of their priorities.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// The priority of each vertex.
    priorities: Vec<(usize, usize)>,
    out: Vec<BTreeSet<usize>>,
    into: Vec<BTreeSet<usize>>,
}

impl Graph {
    /// Adds a vertex and returns its number.
    pub(crate) fn add(&mut self, priority: (usize, usize)) -> usize {
        self.priorities.push(priority);
        self.out.push(BTreeSet::new());
        self.into.push(BTreeSet::new());
        self.priorities.len() - 1
    }

    pub(crate) fn has_edge(&self, from: usize, to: usize) -> bool {
        self.out[from].contains(&to)
    }

    pub(crate) fn connect(&mut self, from: usize, to: usize) {
        self.out[from].insert(to);
        self.into[to].insert(from);
    }

    /// What a vertex directly depends on.
    pub(crate) fn dependencies(&self, of: usize) -> impl Iterator<Item = usize> {
        self.into[of].iter().copied()
    }

    /// The vertices in order. Those in cycles are left out.
    pub(crate) fn order(&self) -> Vec<usize> {
        let mut blockers: Vec<usize> = self.into.iter().map(BTreeSet::len).collect();
        let mut ready: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (vertex, count) in blockers.iter().enumerate() {
            if *count == 0 {
                ready.insert(self.priorities[vertex], vertex);
            }
        }
        let mut order = Vec::new();
        while let Some((_, vertex)) = ready.pop_first() {
            order.push(vertex);
            for &next in &self.out[vertex] {
                blockers[next] -= 1;
                if blockers[next] == 0 {
                    ready.insert(self.priorities[next], next);
                }
            }
        }
        order
    }

    /// The cycles: each a set of vertices that depend on one another, and a way around.
    pub(crate) fn cycles(&self) -> Vec<Vec<usize>> {
        let ordered: BTreeSet<usize> = self.order().into_iter().collect();
        let rest: Vec<usize> = (0..self.out.len())
            .filter(|vertex| !ordered.contains(vertex))
            .collect();
        let mut seen = BTreeSet::new();
        let mut cycles = Vec::new();
        for &start in &rest {
            if seen.contains(&start) {
                continue;
            }
            if let Some(way) = self.way_back(start) {
                seen.extend(way.iter().copied());
                cycles.push(way);
            }
        }
        cycles
    }

    /// The shortest way from a vertex back to itself.
    fn way_back(&self, start: usize) -> Option<Vec<usize>> {
        let mut before: BTreeMap<usize, usize> = BTreeMap::new();
        let mut next = vec![start];
        while !next.is_empty() {
            let mut later = Vec::new();
            for from in next {
                for &to in &self.out[from] {
                    if to == start {
                        let mut way = vec![start, from];
                        let mut at = from;
                        while at != start {
                            at = *before.get(&at)?;
                            way.push(at);
                        }
                        if from == start {
                            way.truncate(2);
                        }
                        way.reverse();
                        return Some(way);
                    }
                    before.entry(to).or_insert_with(|| {
                        later.push(to);
                        from
                    });
                }
            }
            next = later;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Graph;

    fn graph(edges: &[(usize, usize)]) -> Graph {
        let mut graph = Graph::default();
        (0..4).for_each(|index| {
            graph.add((index, 0));
        });
        edges
            .iter()
            .for_each(|(from, to)| graph.connect(*from, *to));
        graph
    }

    #[test]
    fn resources_keep_their_order_unless_an_edge_says_otherwise() {
        assert_eq!(graph(&[]).order(), [0, 1, 2, 3]);
        assert_eq!(graph(&[(2, 0)]).order(), [1, 2, 0, 3]);
        assert_eq!(graph(&[(3, 1), (1, 0)]).order(), [2, 3, 1, 0]);
    }

    #[test]
    fn cycles_are_found_once_with_a_way_around() {
        assert!(graph(&[(0, 1), (1, 2)]).cycles().is_empty());
        assert_eq!(graph(&[(0, 1), (1, 0), (1, 3)]).cycles(), [vec![0, 1, 0]]);
        assert_eq!(graph(&[(2, 2)]).cycles(), [vec![2, 2]]);
        let three = graph(&[(0, 1), (1, 2), (2, 0)]);
        assert_eq!(three.cycles(), [vec![0, 1, 2, 0]]);
    }
}
