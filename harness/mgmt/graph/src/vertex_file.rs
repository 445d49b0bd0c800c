//! The vertices of a graph as its file has them.

use crate::mistake::{Mistake, Place};
use crate::near::advice;
use crate::typed;
use crate::yaml::Node;
use mgmt_engine::Meta;
use serde_json::{Map, Value as Json};

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

/// The mistake of an unknown key.
pub(crate) fn unknown(key: &Node, name: &str, known: &[&str], of: &str) -> Mistake {
    let advice = advice(name, known.iter().copied());
    Mistake::at(key.place, format!("{of} has no key \"{name}\"; {advice}"))
}

/// The vertices below their kinds.
pub(crate) fn vertices(node: &Node) -> Result<Vec<VertexFile>, Mistake> {
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

/// The mistake of a value where a key is wanted, for callers that know more of the kind.
pub(crate) fn of_field(place: Place, vertex: &VertexFile, why: &str) -> Mistake {
    Mistake::at(place, format!("{}: {why}", vertex.key()))
}
