//! Makes the resources of a graph in a host.

use crate::host::{Fault, GraphHost, Shared};
use crate::mistake::{Mistake, Place};
use crate::near::advice;
use crate::read::GraphFile;
use crate::resource::{HostResource, Known};
use crate::typed;
use crate::vertex_file::{VertexFile, of_field};
use mgmt_engine::{Source, Traits};
use mgmt_protocol::{Described, Field};
use serde_json::{Value as Json, json};
use std::rc::Rc;
use stickler_rpc::{Caller, Ended};

/// A graph whose resources are there, and wait for the engine.
#[derive(Debug)]
pub struct Given<C> {
    pub(crate) name: String,
    pub(crate) resources: Vec<HostResource<C>>,
    /// The edges: from, to, name, notify.
    pub(crate) edges: Vec<(usize, usize, String, bool)>,
}

impl<C: Caller> Given<C> {
    /// The graph for mgmt's own engine: the labels of the resources, and the edges by their places.
    pub fn labelled(&self) -> Json {
        let labels: Vec<&str> = self.resources.iter().map(HostResource::label).collect();
        let edges = self.edges.iter().map(|(from, to, name, notify)| {
            json!({ "from": from, "to": to, "name": name, "notify": notify })
        });
        json!({ "resources": labels, "edges": edges.collect::<Vec<_>>() })
    }
}

/// Why a graph cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ungiven {
    /// The file is wrong.
    #[error("{}", .0.message)]
    Mistake(Mistake),
    /// The host has ended.
    #[error(transparent)]
    Lost(Ended),
}

impl From<Mistake> for Ungiven {
    fn from(mistake: Mistake) -> Ungiven {
        Ungiven::Mistake(mistake)
    }
}

/// Who hears of fields that are left out.
pub type Skip<'s> = Option<&'s mut dyn FnMut(Mistake)>;

/// Makes the resources of a graph. `skip` hears of fields that a kind does not have, which are then left out, as mgmt
/// does; without it, they are mistakes.
///
/// # Errors
/// If the graph names what the package does not have, or if the host ends.
pub fn give<C: Caller>(
    host: &Shared<C>,
    graph: &GraphFile,
    mut skip: Skip<'_>,
) -> Result<Given<C>, Ungiven> {
    let resources = graph
        .vertices
        .iter()
        .map(|vertex| make(host, vertex, &mut skip));
    let resources: Vec<HostResource<C>> = resources.collect::<Result<_, _>>()?;
    let edges = graph.edges.iter().map(|edge| {
        let key = |place: usize| graph.vertices[place].key();
        let name = match edge.name.as_str() {
            "" => format!("{} -> {}", key(edge.from), key(edge.to)),
            name => name.to_owned(),
        };
        (edge.from, edge.to, name, edge.notify)
    });
    Ok(Given {
        name: graph.name.clone(),
        edges: edges.collect(),
        resources,
    })
}

fn fault(fault: Fault, method: &str, place: Place, vertex: &VertexFile) -> Ungiven {
    match fault {
        Fault::Lost(lost) => Ungiven::Lost(lost),
        other => of_field(place, vertex, &other.in_words(method)).into(),
    }
}

fn make<C: Caller>(
    host: &Shared<C>,
    vertex: &VertexFile,
    skip: &mut Skip<'_>,
) -> Result<HostResource<C>, Ungiven> {
    let known = {
        let mut host = host.borrow_mut();
        let described = host.kind(&vertex.kind);
        let described =
            described.map_err(|error| fault(error, "describe", vertex.kind_place, vertex))?;
        let described = described.ok_or_else(|| no_kind(&host, vertex))?;
        fill(&mut host, vertex, &described, skip)?
    };
    let resource = HostResource::new(Rc::clone(host), known);
    resource
        .tell_senders()
        .map_err(|why| of_field(vertex.place, vertex, &why))?;
    Ok(resource)
}

fn no_kind<C: Caller>(host: &GraphHost<C>, vertex: &VertexFile) -> Mistake {
    let known = host.registered().iter().map(String::as_str);
    let advice = advice(&vertex.kind, known);
    Mistake::at(
        vertex.kind_place,
        format!("the package has no kind \"{}\"; {advice}", vertex.kind),
    )
}

/// Makes a resource, and sets all that its file says.
fn fill<C: Caller>(
    host: &mut GraphHost<C>,
    vertex: &VertexFile,
    described: &Described,
    skip: &mut Skip<'_>,
) -> Result<Known, Ungiven> {
    let label = host.label();
    let params = json!({ "resource": label, "kind": vertex.kind, "name": vertex.name });
    host.ask("new", &params)
        .map_err(|error| fault(error, "new", vertex.place, vertex))?;
    if !vertex.told.is_empty() {
        host.ask("meta", &json!({ "resource": label, "meta": vertex.told }))
            .map_err(|error| fault(error, "meta", vertex.place, vertex))?;
    }
    // One after the other: then it is known which one is wrong.
    for (key, place, node) in &vertex.fields {
        let field = match (field(described, key, *place, vertex), &mut *skip) {
            (Ok(field), _) => field,
            (Err(mistake), Some(skip)) => {
                skip(mistake);
                continue;
            }
            (Err(mistake), None) => return Err(mistake.into()),
        };
        let value = typed::value(node, &field.type_name, &field.kind)?;
        let params = json!({ "resource": label, "fields": { &field.name: value } });
        host.ask("set", &params)
            .map_err(|error| fault(error, "set", node.place, vertex))?;
    }
    let receives = vertex.receives.iter().map(|one| {
        if described.field(&one.field).is_none() {
            return Err(no_field(described, &one.field, one.place, vertex));
        }
        let source = Source {
            from: format!("{}[{}]", one.kind, one.name),
            key: one.key.clone(),
        };
        Ok((one.field.clone(), source))
    });
    let has = |name: &str| described.has_trait(name);
    if let Some(first) = vertex.receives.first()
        && !has("recvable")
    {
        let why = "it has no trait Recvable, so it receives nothing; remove recv";
        return Err(of_field(first.place, vertex, why).into());
    }
    Ok(Known {
        receives: receives.collect::<Result<_, _>>()?,
        label,
        kind: vertex.kind.clone(),
        name: vertex.name.clone(),
        meta: vertex.meta.clone(),
        traits: Traits {
            refresh: has("refreshable"),
            send: has("sendable"),
            recv: has("recvable"),
            group: has("groupable"),
            edge: has("edgeable"),
        },
        reverses: vertex.reverse && has("reversible"),
    })
}

/// The field that YAML calls so: by its tag, or by Go's name in lower case if it has none.
fn field<'d>(
    described: &'d Described,
    key: &str,
    place: Place,
    vertex: &VertexFile,
) -> Result<&'d Field, Mistake> {
    let of = |field: &&Field| name_of(field).is_some_and(|name| name == key);
    let mut fields = described.fields.iter();
    fields
        .find(of)
        .ok_or_else(|| no_field(described, key, place, vertex))
}

fn name_of(field: &Field) -> Option<String> {
    match field.yaml.as_deref() {
        Some("-") => None,
        Some("") | None => Some(field.name.to_lowercase()),
        Some(tag) => Some(tag.to_owned()),
    }
}

fn no_field(described: &Described, key: &str, place: Place, vertex: &VertexFile) -> Mistake {
    let known: Vec<String> = described.fields.iter().filter_map(name_of).collect();
    let advice = advice(key, known.iter().map(String::as_str));
    Mistake::at(
        place,
        format!("the kind {} has no field \"{key}\"; {advice}", vertex.kind),
    )
}
