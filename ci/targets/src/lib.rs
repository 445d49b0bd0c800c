//! What the fuzz targets of `fuzz/` call, without libFuzzer: a test replays their seeds.

pub mod agent;
pub mod config;
pub mod header;
pub mod input;
pub mod json_codec;
pub mod line_codec;
pub mod mgmt_case;
pub mod mgmt_graph;
pub mod policy;
pub mod puppet_catalog;
pub mod puppet_manifest;
pub mod puppet_types;
pub mod subject;
pub mod transcript;

/// A target: it panics if a property does not hold for these bytes.
pub type Target = fn(&[u8]);

/// All targets but `session`, which needs a module.
pub const TARGETS: &[(&str, Target)] = &[
    ("agent", agent::run),
    ("config", config::run),
    ("header", header::run),
    ("input", input::run),
    ("json_codec", json_codec::run),
    ("line_codec", line_codec::run),
    ("mgmt_case", mgmt_case::run),
    ("mgmt_graph", mgmt_graph::run),
    ("policy", policy::run),
    ("puppet_catalog", puppet_catalog::run),
    ("puppet_manifest", puppet_manifest::run),
    ("puppet_types", puppet_types::run),
    ("transcript", transcript::run),
];
