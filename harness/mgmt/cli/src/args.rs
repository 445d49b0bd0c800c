//! What mgmt adds to the command line.

mod graph;

use clap::{Args, Subcommand};
use std::path::PathBuf;

pub use graph::{GraphArgs, GraphFormat};

/// The heading of options that only mgmt resources have.
const MGMT: &str = "Options for mgmt resources";

/// Its own commands.
#[derive(Debug, Subcommand)]
pub enum Commands {
    /// Run a graph of mgmt resources as mgmt does, with the resources of a Go package.
    #[command(display_order = 113)]
    Graph(Box<GraphArgs>),
}

/// Options about a Go package and its resources.
#[derive(Debug, Default, Args)]
#[group(skip)]
#[command(next_help_heading = MGMT)]
pub struct SubjectOptions {
    /// A kind of mgmt resources (may be repeated) [default: all]
    #[arg(long = "kind", value_name = "NAME", display_order = 33)]
    pub kinds: Vec<String>,
    /// Build mgmt resources with Go's race detector, which MR604 needs: it needs a C compiler, and makes all slower
    #[arg(long, display_order = 34)]
    pub race: bool,
    /// Build mgmt resources with mgmt's own engine, which MR605 needs: the package's module needs what the engine
    /// imports
    #[arg(long, display_order = 35)]
    pub with_engine: bool,
}

/// Options of `stickler init`.
#[derive(Debug, Default, Args)]
#[group(skip)]
#[command(next_help_heading = MGMT)]
pub struct InitOptions {
    /// A kind of mgmt resources (may be repeated) [default: all]
    #[arg(long = "kind", value_name = "NAME", display_order = 12)]
    pub kinds: Vec<String>,
}

/// Options of `stickler check` that stand among those of the command itself.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct CaseOptions {
    /// Instead of the suite, run the graphs of mgmt resources in all files `*.txtar` below this folder, and compare
    /// what happens with what they say
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,
    /// Write what happens into these files
    #[arg(long, requires = "cases")]
    pub accept: bool,
}
