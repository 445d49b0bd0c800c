//! Graphs of mgmt resources: the YAML form, and the reference engine over real resources, which a host calls.
//!
//! A [`GraphFile`] is read from text and given to a [`Run`] over a [`GraphHost`]. How the host is reached is a [`Caller`]'s
//! business. It knows no rules and no suite.

mod case;
mod clock;
mod dot;
mod event;
mod given;
mod host;
mod json;
mod listing;
mod mistake;
mod near;
mod read;
mod record;
mod resource;
mod run;
mod speech;
mod txtar;
mod typed;
mod vertex_file;
mod yaml;

pub use case::{GraphCase, Happened, Unexpected, read_case};
pub use dot::Drawing;
pub use event::{Came, Edge, End, GraphEvent, Summary, What};
pub use given::{Given, Skip, Ungiven, give};
pub use host::{GraphHost, Shared};
pub use listing::Listing;
pub use mistake::{Mistake, MistakeInFile, Place};
pub use read::{EdgeFile, GraphFile, read};
pub use resource::HostResource;
pub use run::{Run, RunOptions, Went};
pub use speech::{SPEECH, ask};
pub use txtar::{Archive, File};
pub use vertex_file::{ReceiveFile, VertexFile};
pub use yaml::{Data, Node};

/// The published schema of a line of `stickler graph --format json`.
pub fn json_schema() -> &'static str {
    include_str!("../../../../docs/schema/graph.schema.json")
}
