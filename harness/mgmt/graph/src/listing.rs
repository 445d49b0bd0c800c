//! The calls of a run in the simplest form: a line each. What chance decides is left out: the order of vertices that no
//! edge connects, and how often a vertex looks again and finds all in order.

use crate::event::{Came, GraphEvent, What};
use std::collections::{BTreeMap, BTreeSet};

/// The line between the calls of two graphs.
const SWAP: &str = "swap";

/// A list of calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    lines: Vec<String>,
    /// Lines about what should not happen.
    bad: Vec<String>,
    edges: BTreeSet<(String, String)>,
    /// What the last call of each vertex came to.
    last: BTreeMap<String, Came>,
}

impl Listing {
    /// Adds what was told, if it is a call or a bad end.
    pub fn hear(&mut self, told: &GraphEvent) {
        match &told.what {
            What::Graph { number, edges, .. } => {
                if *number > 1 {
                    self.lines.push(SWAP.to_owned());
                }
                let edges = edges.iter();
                self.edges
                    .extend(edges.map(|edge| (edge.from.clone(), edge.to.clone())));
            }
            What::AutoEdge { edge } => {
                if let Some((from, to)) = edge.split_once(" -> ") {
                    self.edges.insert((from.to_owned(), to.to_owned()));
                }
            }
            What::CheckApply {
                vertex,
                apply,
                refresh,
                result,
                error,
                ..
            } => {
                let last = self.last.insert(vertex.clone(), *result);
                if says_nothing(last, *result) {
                    return;
                }
                let refresh = if *refresh { " refresh=true" } else { "" };
                let error = error.as_ref();
                let error = error.map_or_else(String::new, |error| format!(": {}", plain(error)));
                let word = result.word().replace(' ', "_");
                let call = format!("checkapply apply={apply}{refresh} {word}{error}");
                self.lines.push(format!("{vertex} {call}"));
            }
            What::Refused { error } => self.is_bad(format!("refused: {}", plain(error))),
            What::Misuse { vertex, text } => {
                self.is_bad(format!("{vertex} misuse: {}", plain(text)));
            }
            What::End(end) if end.is_bad() => {
                let error = end.error.as_ref();
                let error = error.map_or_else(String::new, |error| format!(": {}", plain(error)));
                self.is_bad(format!("{} {}{error}", end.vertex, end.state));
            }
            _ => {}
        }
    }

    /// Adds a line about what should not happen.
    pub fn is_bad(&mut self, line: String) {
        self.bad.push(line.clone());
        self.lines.push(line);
    }

    /// The list as text.
    pub fn text(&self) -> String {
        joined(&self.lines)
    }

    /// What should not have happened.
    pub fn bad(&self) -> String {
        joined(&self.bad)
    }

    /// Whether these lines list the same: in each graph the same lines of each vertex, and of both ends of each edge,
    /// in the same order. `{dir}` is the folder in them.
    pub fn fits(&self, wanted: &str, dir: &str) -> bool {
        let wanted = wanted.replace("{dir}", dir);
        let wanted = wanted.lines().map(str::trim_end);
        let wanted: Vec<&str> = wanted.filter(|line| !line.is_empty()).collect();
        let own: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        let is_swap = |line: &&str| *line == SWAP;
        let (wanted, own) = (wanted.split(is_swap), own.split(is_swap));
        let (wanted, own): (Vec<_>, Vec<_>) = (wanted.collect(), own.collect());
        wanted.len() == own.len()
            && wanted
                .iter()
                .zip(&own)
                .all(|(wanted, own)| self.same(wanted, own))
    }

    fn same(&self, wanted: &[&str], own: &[&str]) -> bool {
        let of = |lines: &[&str], vertices: &[&str]| -> Vec<String> {
            let lines = lines.iter().filter(|line| vertices.contains(&vertex(line)));
            lines.map(|line| (*line).to_owned()).collect()
        };
        let all: BTreeSet<&str> = wanted.iter().chain(own).map(|line| vertex(line)).collect();
        let alone = all.iter().all(|one| of(wanted, &[one]) == of(own, &[one]));
        alone
            && self
                .edges
                .iter()
                .all(|(from, to)| of(wanted, &[from, to]) == of(own, &[from, to]))
    }
}

/// Whether a call only looked again and found the same.
fn says_nothing(last: Option<Came>, now: Came) -> bool {
    matches!(
        (last, now),
        (Some(Came::Ok | Came::Changed), Came::Ok) | (Some(Came::WouldChange), Came::WouldChange)
    )
}

/// The vertex that a line is about.
fn vertex(line: &str) -> &str {
    line.find("] ").map_or("", |end| &line[..=end])
}

fn plain(text: &str) -> String {
    text.lines().collect::<Vec<_>>().join(" ").trim().to_owned()
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::Listing;
    use crate::event::{Came, Edge, GraphEvent, What};

    fn list(edges: &[(&str, &str)], calls: &[(&str, Came)]) -> Listing {
        let mut listing = Listing::default();
        let mut hear = |what| listing.hear(&GraphEvent { at_ms: 0, what });
        let edges = edges.iter().map(|(from, to)| Edge {
            from: (*from).to_owned(),
            to: (*to).to_owned(),
            notify: false,
        });
        hear(What::Graph {
            number: 1,
            name: "g".to_owned(),
            vertices: Vec::new(),
            edges: edges.collect(),
        });
        for (vertex, result) in calls {
            hear(What::CheckApply {
                vertex: (*vertex).to_owned(),
                apply: true,
                refresh: false,
                result: *result,
                error: None,
                sent: None,
                members: Vec::new(),
            });
        }
        listing
    }

    #[test]
    fn only_edges_order_vertices() {
        let calls = [("f[a]", Came::Changed), ("f[b]", Came::Changed)];
        let other = "f[b] checkapply apply=true changed\nf[a] checkapply apply=true changed\n";
        assert!(list(&[], &calls).fits(other, "/d"));
        assert!(!list(&[("f[a]", "f[b]")], &calls).fits(other, "/d"));
    }

    #[test]
    fn a_look_that_finds_the_same_is_not_listed() {
        let calls = [("f[a]", Came::Changed), ("f[a]", Came::Ok)];
        assert_eq!(
            list(&[], &calls).text(),
            "f[a] checkapply apply=true changed\n"
        );
        let calls = [("f[a]", Came::Error), ("f[a]", Came::Ok)];
        assert_eq!(2, list(&[], &calls).text().lines().count());
    }
}
