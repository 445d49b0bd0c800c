//! Reads a graph in mgmt's YAML form. Keys that the form does not have are refused; so are its parts that need more
//! than one machine.

use crate::mistake::{Mistake, Place};
use crate::near::advice;
use crate::typed;
use crate::yaml::{Node, parse};
use mgmt_engine::Meta;
use serde_json::{Map, Value as Json};

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

/// A vertex as its file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexFile {
    /// Its kind.
    pub kind: String,
    /// Where the kind is named.
    pub kind_place: Place,
    /// Its name.
    pub name: String,
    /// Where it begins.
    pub place: Place,
    /// Its meta parameters.
    pub meta: Meta,
    /// The same as the host is told them.
    pub told: Map<String, Json>,
    /// Whether it is reversed when it is gone from the next graph.
    pub reverse: bool,
    /// Its own fields: key, the key's place, and value.
    pub fields: Vec<(String, Place, Node)>,
    /// Its receiving fields.
    pub receives: Vec<ReceiveFile>,
}

impl VertexFile {
    /// `kind[name]`.
    pub fn key(&self) -> String {
        format!("{}[{}]", self.kind, self.name)
    }
}

/// A field that receives a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiveFile {
    /// The field.
    pub field: String,
    /// Where it is.
    pub place: Place,
    /// The kind of the sender.
    pub kind: String,
    /// The name of the sender.
    pub name: String,
    /// The key of its value.
    pub key: String,
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

/// The mistake of an unknown key.
fn unknown(key: &Node, name: &str, known: &[&str], of: &str) -> Mistake {
    let advice = advice(name, known.iter().copied());
    Mistake::at(key.place, format!("{of} has no key \"{name}\"; {advice}"))
}

fn vertices(node: &Node) -> Result<Vec<VertexFile>, Mistake> {
    let mut all: Vec<VertexFile> = Vec::new();
    for (kind, key, list) in typed::map(node)? {
        if kind.is_empty() {
            return Err(Mistake::at(key.place, "the kind is empty"));
        }
        for one in typed::list(list)? {
            let vertex = vertex(&kind, key.place, one)?;
            if let Some(first) = all.iter().find(|known| known.key() == vertex.key()) {
                return Err(Mistake::at(
                    vertex.place,
                    format!(
                        "{} is there twice, first in line {}: give one another name",
                        vertex.key(),
                        first.place.line
                    ),
                ));
            }
            all.push(vertex);
        }
    }
    Ok(all)
}

fn vertex(kind: &str, kind_place: Place, node: &Node) -> Result<VertexFile, Mistake> {
    let mut vertex = VertexFile {
        kind: kind.to_owned(),
        kind_place,
        name: String::new(),
        place: node.place,
        meta: Meta::default(),
        told: Map::new(),
        reverse: false,
        fields: Vec::new(),
        receives: Vec::new(),
    };
    for (name, key, value) in typed::map(node)? {
        match name.as_str() {
            "name" => {
                vertex.name = typed::text(value)?;
                vertex.place = value.place;
            }
            "meta" => meta(value, &mut vertex)?,
            "recv" => vertex.receives = receives(value)?,
            _ => vertex.fields.push((name, key.place, value.clone())),
        }
    }
    if vertex.name.is_empty() {
        return Err(Mistake::at(
            node.place,
            format!("a resource of the kind {kind} has no name: write `name: …`"),
        ));
    }
    if vertex.name.starts_with("@@") {
        return Err(Mistake::at(
            vertex.place,
            "exported resources (@@) are not supported: Stickler runs one machine; remove the @@",
        ));
    }
    Ok(vertex)
}

fn receives(node: &Node) -> Result<Vec<ReceiveFile>, Mistake> {
    let entries = typed::map(node)?.into_iter();
    let read = entries.map(|(field, key, value)| {
        let mut one = ReceiveFile {
            field,
            place: key.place,
            kind: String::new(),
            name: String::new(),
            key: String::new(),
        };
        for (name, key, value) in typed::map(value)? {
            match name.as_str() {
                "kind" => one.kind = typed::text(value)?,
                "name" => one.name = typed::text(value)?,
                "key" => one.key = typed::text(value)?,
                _ => return Err(unknown(key, &name, &["kind", "name", "key"], "recv")),
            }
        }
        if one.kind.is_empty() || one.name.is_empty() || one.key.is_empty() {
            return Err(Mistake::at(
                one.place,
                "recv needs the sender and what it sends: write {kind: …, name: …, key: …}",
            ));
        }
        Ok(one)
    });
    read.collect()
}

const META: [&str; 17] = [
    "noop",
    "retry",
    "retryreset",
    "delay",
    "timeout",
    "poll",
    "limit",
    "burst",
    "reset",
    "sema",
    "rewatch",
    "realize",
    "dollar",
    "hidden",
    "autoedge",
    "autogroup",
    "reverse",
];

fn meta(node: &Node, vertex: &mut VertexFile) -> Result<(), Mistake> {
    for (name, key, value) in typed::map(node)? {
        let meta = &mut vertex.meta;
        let told = match name.as_str() {
            "noop" => set(&mut meta.noop, typed::truth(value)?),
            "retryreset" => set(&mut meta.retry_reset, typed::truth(value)?),
            "reset" => set(&mut meta.reset, typed::truth(value)?),
            "rewatch" => set(&mut meta.rewatch, typed::truth(value)?),
            "realize" => Json::Bool(typed::truth(value)?),
            "dollar" => set(&mut meta.dollar, typed::truth(value)?),
            "hidden" => set(&mut meta.hidden, typed::truth(value)?),
            "retry" => set(
                &mut meta.retry,
                whole(value, i16::MIN.into(), i16::MAX.into())?,
            ),
            "poll" => set(
                &mut meta.poll_s,
                whole(value, i32::MIN.into(), i32::MAX.into())?,
            ),
            "delay" => set(&mut meta.delay_ms, whole(value, 0, i64::MAX)?),
            "timeout" => set(&mut meta.timeout_ms, whole(value, 0, i64::MAX)?),
            "burst" => set(&mut meta.burst, whole(value, 0, i64::MAX)?),
            "limit" => {
                let limit = typed::float(value)?;
                meta.limit = limit.is_finite().then_some(limit);
                // Without a limit, the host keeps what is usual.
                let Some(limit) = meta.limit else { continue };
                Json::from(limit)
            }
            "sema" => {
                let semas = typed::list(value)?.iter().map(typed::text);
                set(&mut meta.sema, semas.collect::<Result<Vec<_>, _>>()?)
            }
            // These three belong to traits, not to the meta parameters.
            "autoedge" => {
                meta.autoedge_disabled = !typed::truth(value)?;
                continue;
            }
            "autogroup" => {
                meta.autogroup_disabled = !typed::truth(value)?;
                continue;
            }
            "reverse" => {
                vertex.reverse = typed::truth(value)?;
                continue;
            }
            "export" => {
                return Err(Mistake::at(
                    key.place,
                    "export is not supported: Stickler runs one machine; remove it",
                ));
            }
            _ => return Err(unknown(key, &name, &META, "meta")),
        };
        vertex.told.insert(name, told);
    }
    Ok(())
}

fn set<T: Clone + Into<Json>>(place: &mut T, value: T) -> Json {
    place.clone_from(&value);
    value.into()
}

fn whole<T: TryFrom<i64>>(node: &Node, least: i64, most: i64) -> Result<T, Mistake> {
    let number = typed::integer(node)?;
    let fits = number.as_i64().filter(|one| (least..=most).contains(one));
    let fits = fits.and_then(|one| T::try_from(one).ok());
    fits.ok_or_else(|| {
        Mistake::at(
            node.place,
            format!("{number} is here; write a number from {least} to {most}"),
        )
    })
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

/// The mistake of a value where a key is wanted, for callers that know more of the kind.
pub(crate) fn of_field(place: Place, vertex: &VertexFile, why: &str) -> Mistake {
    Mistake::at(place, format!("{}: {why}", vertex.key()))
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
