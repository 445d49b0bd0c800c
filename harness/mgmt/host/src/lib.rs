//! The host of mgmt resources: Go source that calls resources as JSON-RPC requests say, and how it is built around an
//! author's package. It knows nothing of sessions, transcripts or rules.
//!
//! `docs/resource-protocol.md` describes the protocol.

mod build;
mod built;
mod error;
mod package;
mod real;
mod said;
mod stale;

pub use build::{NAME, build};
pub use built::{Options, options_of};
pub use error::BuildError;

use stickler_rpc::HostFiles;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../go/", $name)))),*]
    };
}

/// The files of the host, except the one that is generated.
pub const HOST: HostFiles = HostFiles {
    name: "mgmt-host",
    entry: "main.go",
    files: files![
        "channel.go",
        "compare.go",
        "counts.go",
        "edges.go",
        "encoded.go",
        "engine.go",
        "fields.go",
        "grouping.go",
        "init.go",
        "logs.go",
        "main.go",
        "meta.go",
        "needs.go",
        "race_off.go",
        "race_on.go",
        "received.go",
        "resource.go",
        "server.go",
        "state.go",
        "values.go",
        "watch.go",
    ],
};
