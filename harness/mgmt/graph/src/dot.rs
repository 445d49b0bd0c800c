//! Draws a run for Graphviz: the last graph with what ran, in which order, and what came of it.

use crate::event::{Came, Edge, End, GraphEvent, What};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A drawing that grows with what is told.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    name: String,
    vertices: Vec<String>,
    /// Those that an earlier graph had.
    gone: BTreeSet<String>,
    edges: Vec<Edge>,
    automatic: BTreeSet<(String, String)>,
    heads: BTreeMap<String, String>,
    /// The calls of `CheckApply` by vertex: their place in the order of all, and what they came to.
    calls: BTreeMap<String, Vec<(usize, Came)>>,
    count: usize,
    ends: BTreeMap<String, End>,
}

impl Drawing {
    /// Adds what was told.
    pub fn hear(&mut self, told: &GraphEvent) {
        match &told.what {
            What::Graph {
                name,
                vertices,
                edges,
                ..
            } => {
                let before = std::mem::replace(&mut self.vertices, vertices.clone());
                self.gone.extend(before);
                for vertex in vertices {
                    self.gone.remove(vertex);
                }
                self.name.clone_from(name);
                self.edges.clone_from(edges);
                self.automatic.clear();
                self.heads.clear();
            }
            What::AutoEdge { edge } => {
                if let Some((from, to)) = edge.split_once(" -> ") {
                    self.automatic.insert((from.to_owned(), to.to_owned()));
                }
            }
            What::Group { vertex, head } => {
                self.heads.insert(vertex.clone(), head.clone());
            }
            What::CheckApply { vertex, result, .. } => {
                self.count += 1;
                let calls = self.calls.entry(vertex.clone()).or_default();
                calls.push((self.count, *result));
            }
            What::End(end) if end.state != "kept" => {
                self.ends.insert(end.vertex.clone(), end.clone());
            }
            _ => {}
        }
    }

    /// The drawing as text.
    pub fn text(&self) -> String {
        let mut text = format!("digraph {} {{\n", quoted(&self.name));
        text.push_str("  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n");
        for vertex in &self.vertices {
            self.vertex(&mut text, vertex, "");
        }
        for vertex in &self.gone {
            self.vertex(&mut text, vertex, ", style=\"rounded,dashed\"");
        }
        for Edge { from, to, notify } in &self.edges {
            let style = if *notify {
                " [label=\"notify\", style=bold]"
            } else {
                ""
            };
            let _ = writeln!(text, "  {} -> {}{style};", quoted(from), quoted(to));
        }
        for (from, to) in &self.automatic {
            let (from, to) = (quoted(from), quoted(to));
            let _ = writeln!(
                text,
                "  {from} -> {to} [label=\"automatic\", style=dotted];"
            );
        }
        for (vertex, head) in &self.heads {
            let (vertex, head) = (quoted(vertex), quoted(head));
            let _ = writeln!(
                text,
                "  {vertex} -> {head} [label=\"in the group of\", style=dashed, arrowhead=none];"
            );
        }
        text.push_str("}\n");
        text
    }

    fn vertex(&self, text: &mut String, vertex: &str, style: &str) {
        let calls = self.calls.get(vertex).map_or(&[][..], Vec::as_slice);
        let mut lines = vec![vertex.to_owned()];
        let shown = calls.iter().take(8);
        lines.extend(shown.map(|(place, came)| format!("{place}. {}", came.word())));
        if calls.len() > 8 {
            lines.push(format!("… {} more", calls.len() - 8));
        }
        let end = self.ends.get(vertex);
        if let Some(end) = end.filter(|end| end.state != "ok") {
            lines.push(match &end.error {
                Some(error) => format!("{}: {error}", end.state),
                None => end.state.clone(),
            });
        }
        let is_bad = end.is_some_and(End::is_bad);
        let worst = calls.iter().map(|(_, came)| *came).max();
        let color = match worst {
            _ if is_bad => "firebrick",
            Some(Came::Changed) => "forestgreen",
            Some(Came::WouldChange) => "goldenrod",
            Some(Came::Error | Came::Panic) => "darkorange",
            Some(Came::Ok) => "black",
            None => "gray",
        };
        let label = lines.iter().map(|line| escaped(line));
        let label = label.collect::<Vec<_>>().join("\\n");
        let _ = writeln!(
            text,
            "  {} [label=\"{label}\", color={color}{style}];",
            quoted(vertex)
        );
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for one in text.chars() {
        match one {
            '"' | '\\' => escaped.extend(['\\', one]),
            '\n' => escaped.push_str("\\n"),
            one if one.is_control() => escaped.push('\u{fffd}'),
            one => escaped.push(one),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::Drawing;
    use crate::event::{Came, Edge, GraphEvent, What};

    #[test]
    fn a_drawing_shows_edges_order_and_results() {
        let mut drawing = Drawing::default();
        let mut hear = |what| drawing.hear(&GraphEvent { at_ms: 0, what });
        let key = |name: &str| format!("note[{name}]");
        hear(What::Graph {
            number: 1,
            name: "g\"".to_owned(),
            vertices: vec![key("a"), key("b")],
            edges: vec![Edge {
                from: key("a"),
                to: key("b"),
                notify: true,
            }],
        });
        hear(What::CheckApply {
            vertex: key("a"),
            apply: true,
            refresh: false,
            result: Came::Changed,
            error: None,
            sent: None,
            members: Vec::new(),
        });
        let text = drawing.text();
        assert!(text.starts_with("digraph \"g\\\"\" {"), "{text}");
        assert!(text.contains("label=\"note[a]\\n1. changed\", color=forestgreen"));
        assert!(text.contains("\"note[a]\" -> \"note[b]\" [label=\"notify\", style=bold];"));
    }
}
