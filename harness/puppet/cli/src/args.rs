//! What Puppet adds to the command line.

mod runtime;

use clap::{Args, Subcommand};
use puppet_runtime::Release;

pub use runtime::{ApplyArgs, PuppetArgs, ResourceArgs, RuntimeArgs};

/// The heading of options that only Puppet modules have.
const PUPPET_MODULES: &str = "Options for Puppet modules";

/// The heading of options of `diff` for manifests.
const MANIFESTS: &str = "Options for Puppet manifests and catalogs";

/// Its own commands.
#[derive(Debug, Subcommand)]
pub enum Commands {
    /// Apply a manifest or a catalog as `puppet apply` does, with the providers of a Puppet module.
    #[command(display_order = 111)]
    Apply(Box<ApplyArgs>),
    /// List, show and change resources of a Puppet module as `puppet resource` does.
    #[command(display_order = 112)]
    Resource(Box<ResourceArgs>),
}

/// Options about a module.
#[derive(Debug, Default, Args)]
#[group(skip)]
#[command(next_help_heading = PUPPET_MODULES)]
pub struct SubjectOptions {
    /// A type of the Puppet module (may be repeated) [default: all]
    #[arg(long = "type", value_name = "NAME", display_order = 32)]
    pub types: Vec<String>,
    /// Give providers the installed Puppet instead of stand-ins for it: each session starts more slowly
    #[arg(long, display_order = 36)]
    pub real_puppet: bool,
    /// Play this Puppet with this puppet-resource_api alone: 7.23+1.8.16, 8+1.9, 8+2.0 or spec
    /// [default: the installed one if it is one of these, else the newest, and those of `runtimes` where
    /// calls differ]
    #[arg(
        long,
        value_name = "RELEASE",
        value_parser = runtime::release,
        conflicts_with = "real_puppet",
        display_order = 36
    )]
    pub runtime: Option<Release>,
}

/// Options of `stickler diff` for manifests.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct DiffOptions {
    /// The Puppet module. Its heading is that of all options that follow.
    #[command(flatten, next_help_heading = MANIFESTS)]
    pub puppet: PuppetArgs,
    /// Behave like this Puppet with this puppet-resource_api: 7.23+1.8.16, 8+1.9, 8+2.0 or spec
    /// [default: the installed one if it is one of these, else 8+2.0]
    #[arg(long, value_name = "RELEASE", value_parser = runtime::release)]
    pub runtime: Option<Release>,
}
