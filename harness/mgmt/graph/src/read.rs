//! Reads a graph in mgmt's YAML form. Keys that the form does not have are refused; so are its parts that need more
//! than one machine.

use crate::mistake::Mistake;
use crate::near::advice;
use crate::typed;
use crate::vertex_file::{ReceiveFile, VertexFile, unknown, vertices};
use crate::yaml::{Node, parse};
use serde_json::Value as Json;

/// A graph as its file has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphFile {
    /// Its name.
    pub name: String,
    /// The vertices.
    pub vertices: Vec<VertexFile>,
    /// The edges.
    pub edges: Vec<EdgeFile>,
}

/// An edge, by the numbers of its vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeFile {
    /// Its name.
    pub name: String,
    /// The vertex that comes first.
    pub from: usize,
    /// The vertex that waits.
    pub to: usize,
    /// Whether a change is told.
    pub notify: bool,
}

/// Reads a graph.
///
/// # Errors
/// If it is none; the mistake says where and what to do.
pub fn read(text: &str) -> Result<GraphFile, Mistake> {
    let root = parse(text)?;
    let mut graph = GraphFile::default();
    let mut edges: Option<&Node> = None;
    let entries = typed::map(&root)?;
    for (name, key, value) in &entries {
        match name.as_str() {
            "graph" => graph.name = typed::text(value)?,
            "comment" => {
                typed::text(value)?;
            }
            "resources" => graph.vertices = vertices(value)?,
            "edges" => edges = Some(value),
            "collect" => {
                return Err(Mistake::at(
                    key.place,
                    "collect is not supported: Stickler runs one machine, which has no exported resources; remove it",
                ));
            }
            "remote" => {
                return Err(Mistake::at(
                    key.place,
                    "remote is not supported: Stickler runs one machine; remove it",
                ));
            }
            _ => {
                let known = ["graph", "comment", "resources", "edges"];
                return Err(unknown(key, name, &known, "a graph"));
            }
        }
    }
    if graph.name.is_empty() {
        return Err(Mistake::at(
            root.place,
            "the graph has no name: write `graph: NAME`",
        ));
    }
    if let Some(edges) = edges {
        graph.edges = typed::list(edges)?
            .iter()
            .map(|edge| self::edge(edge, &graph.vertices))
            .collect::<Result<_, _>>()?;
    }
    if let Some(mistake) = graph.vertices.iter().find_map(|one| unsent(one, &graph)) {
        return Err(mistake);
    }
    Ok(graph)
}

fn unsent(vertex: &VertexFile, graph: &GraphFile) -> Option<Mistake> {
    let known = |one: &ReceiveFile| {
        let mut all = graph.vertices.iter();
        all.any(|sender| sender.kind == one.kind && sender.name == one.name)
    };
    let lost = vertex.receives.iter().find(|one| !known(one))?;
    Some(Mistake::at(
        lost.place,
        format!(
            "the graph has no {}[{}] to receive from",
            lost.kind, lost.name
        ),
    ))
}

fn edge(node: &Node, vertices: &[VertexFile]) -> Result<EdgeFile, Mistake> {
    let (mut name, mut from, mut to, mut notify) = (String::new(), None, None, false);
    for (key_name, key, value) in typed::map(node)? {
        match key_name.as_str() {
            "name" => name = typed::text(value)?,
            "from" => from = Some(end(value, vertices)?),
            "to" => to = Some(end(value, vertices)?),
            "notify" => notify = typed::truth(value)?,
            _ => {
                let known = ["name", "from", "to", "notify"];
                return Err(unknown(key, &key_name, &known, "an edge"));
            }
        }
    }
    let (Some(from), Some(to)) = (from, to) else {
        return Err(Mistake::at(
            node.place,
            "an edge needs both ends: write from: {kind: …, name: …} and to: {kind: …, name: …}",
        ));
    };
    if from == to {
        return Err(Mistake::at(
            node.place,
            format!("this edge leads from {} to itself", vertices[from].key()),
        ));
    }
    Ok(EdgeFile {
        name,
        from,
        to,
        notify,
    })
}

fn end(node: &Node, vertices: &[VertexFile]) -> Result<usize, Mistake> {
    let (mut kind, mut name) = (String::new(), String::new());
    for (key_name, key, value) in typed::map(node)? {
        match key_name.as_str() {
            "kind" => kind = typed::text(value)?.to_lowercase(),
            "name" => name = typed::text(value)?,
            _ => {
                return Err(unknown(
                    key,
                    &key_name,
                    &["kind", "name"],
                    "the end of an edge",
                ));
            }
        }
    }
    let place = vertices
        .iter()
        .position(|one| one.kind == kind && one.name == name);
    place.ok_or_else(|| {
        let wanted = format!("{kind}[{name}]");
        let known: Vec<String> = vertices.iter().map(VertexFile::key).collect();
        let advice = advice(&wanted, known.iter().map(String::as_str));
        Mistake::at(node.place, format!("the graph has no {wanted}; {advice}"))
    })
}

impl GraphFile {
    /// Sets a meta parameter on all vertices: only check, never change.
    pub fn set_noop(&mut self) {
        for vertex in &mut self.vertices {
            vertex.meta.noop = true;
            vertex.told.insert("noop".to_owned(), Json::Bool(true));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EdgeFile, read};
    use proptest::prelude::*;

    const GRAPH: &str = "\
graph: g
comment: two files
resources:
  file:
  - name: a
    path: /tmp/a
    meta: {noop: true, retry: -1, limit: .inf, sema: ['x:2'], autogroup: false}
  - name: b
    recv: {content: {kind: file, name: a, key: content}}
edges:
- name: e
  from: {kind: File, name: a}
  to: {kind: file, name: b}
  notify: yes
";

    #[test]
    fn a_graph_has_vertices_with_meta_parameters_and_fields_and_edges() {
        let graph = read(GRAPH).expect("a graph");
        assert_eq!("g", graph.name);
        let [one, two] = &graph.vertices[..] else {
            panic!("two vertices");
        };
        assert_eq!("file[a]", one.key());
        assert!(one.meta.noop && one.meta.autogroup_disabled && !one.meta.autoedge_disabled);
        assert_eq!((-1, None), (one.meta.retry, one.meta.limit));
        assert!(!one.told.contains_key("limit") && !one.told.contains_key("autogroup"));
        assert_eq!("path", one.fields[0].0);
        assert_eq!("content", two.receives[0].field);
        let edge = EdgeFile {
            name: "e".to_owned(),
            from: 0,
            to: 1,
            notify: true,
        };
        assert_eq!(vec![edge], graph.edges);
    }

    #[test]
    fn mistakes_are_found_where_they_are() {
        let cases = [
            (
                "graph: g\nresource:\n  file: []\n",
                2,
                1,
                "did you mean \"resources\"?",
            ),
            ("graph: g\ncollect: []\n", 2, 1, "collect is not supported"),
            ("comment: x\n", 1, 1, "no name"),
            (
                "graph: g\nresources:\n  file:\n  - path: x\n",
                4,
                5,
                "has no name",
            ),
            (
                "graph: g\nresources:\n  file:\n  - name: a\n    meta: {nop: true}\n",
                5,
                12,
                "\"noop\"",
            ),
            (
                "graph: g\nresources:\n  file:\n  - name: '@@a'\n",
                4,
                11,
                "exported",
            ),
            (
                "graph: g\nresources:\n  f:\n  - name: a\n  - name: a\n",
                5,
                11,
                "twice, first in line 4",
            ),
            (
                "graph: g\nedges:\n- from: {kind: f, name: a}\n",
                3,
                9,
                "has no f[a]",
            ),
            (
                "graph: g\nresources:\n  f:\n  - name: a\n    meta: {retry: 40000}\n",
                5,
                19,
                "to 32767",
            ),
            (
                "graph: g\nresources:\n  f:\n  - name: a\n    recv: {x: {kind: f, name: b, key: y}}\n",
                5,
                12,
                "receive from",
            ),
            ("graph: [\n", 2, 1, ""),
            ("graph: g\ngraph: h\n", 2, 1, "twice"),
        ];
        for (text, line, column, wanted) in cases {
            let mistake = read(text).expect_err(text);
            assert!(mistake.message.contains(wanted), "{mistake:?}");
            assert_eq!(
                (line, column),
                (mistake.place.line, mistake.place.column),
                "{text}"
            );
        }
    }
    proptest! {
        #[test]
        fn a_written_graph_is_read_again(
            names in prop::collection::btree_set("[a-z/ :#'\"-]{1,6}", 1..6),
            notify in any::<bool>(),
            delay in any::<u32>(),
        ) {
            let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
            let names: Vec<String> = names.into_iter().collect();
            let mut text = "graph: g\nresources:\n  file:\n".to_owned();
            for name in &names {
                text += &format!("  - name: {}\n    meta: {{delay: {delay}}}\n", quoted(name));
            }
            text += "edges:\n";
            for name in &names[1..] {
                let (from, to) = (quoted(&names[0]), quoted(name));
                text += &format!("- from: {{kind: file, name: {from}}}\n  to: {{kind: file, name: {to}}}\n  notify: {notify}\n");
            }
            let graph = read(&text).map_err(|mistake| TestCaseError::fail(format!("{mistake:?} in {text}")))?;
            let found: Vec<String> = graph.vertices.iter().map(|one| one.name.clone()).collect();
            prop_assert_eq!(&found, &names);
            prop_assert!(graph.vertices.iter().all(|one| one.meta.delay_ms == u64::from(delay)));
            let edges: Vec<(usize, usize, bool)> =
                graph.edges.iter().map(|edge| (edge.from, edge.to, edge.notify)).collect();
            let wanted: Vec<(usize, usize, bool)> = (1..names.len()).map(|to| (0, to, notify)).collect();
            prop_assert_eq!(edges, wanted);
        }

        #[test]
        fn any_text_is_a_graph_or_a_mistake_with_a_place(text in "[a-z:{}\\[\\],&*!'\"|>\n -]{0,60}") {
            if let Err(mistake) = read(&text) {
                prop_assert!(mistake.place.line > 0 && mistake.place.column > 0);
            }
        }
    }
}
