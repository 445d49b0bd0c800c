//! Arguments of `stickler graph`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use stickler_face::terminal::Color;

/// `stickler graph`
#[derive(Debug, Args)]
pub struct GraphArgs {
    /// The graph, in mgmt's YAML form
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The folder of the Go package that registers the resources [default: from `stickler.toml`, or this folder]
    #[arg(long, value_name = "DIR")]
    pub path: Option<PathBuf>,
    /// Read this file instead of the package's `stickler.toml`
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Change nothing; print what would change
    #[arg(long)]
    pub noop: bool,
    /// When the graph has converged, put this one in its place
    #[arg(long, value_name = "FILE")]
    pub swap: Option<PathBuf>,
    /// Go on until interrupted, in real time
    #[arg(long)]
    pub watch: bool,
    /// Write all calls of resources to a new file, for `stickler judge`
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// How long nothing may happen before the graph has converged, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 0.5, value_parser = seconds)]
    pub converged_timeout: f64,
    /// How long it may take to converge, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0, value_parser = seconds)]
    pub timeout: f64,
    /// Leave out fields that a kind does not have, as mgmt does, and print a note for each
    #[arg(long)]
    pub skip_unknown: bool,
    /// Print all that happens, not only what changes or fails
    #[arg(long, short)]
    pub verbose: bool,
    /// The output format: pretty, json (JSON Lines) or dot (a drawing for Graphviz)
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: GraphFormat,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// Formats of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// For people
    #[default]
    Pretty,
    /// One JSON object per line
    Json,
    /// A drawing for Graphviz
    Dot,
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    number
        .filter(|number| (0.0..=1e9).contains(number))
        .ok_or_else(|| "write a number of seconds".to_owned())
}
