//! Arguments of the commands that run Puppet's Resource API.

use clap::Args;
use puppet_runtime::{Strict, Version};
use std::path::PathBuf;
use stickler_face::args::ListFormat;
use stickler_face::terminal::Color;

/// The Puppet module, and how strict Puppet is.
#[derive(Clone, Debug, Default, Args)]
pub struct PuppetArgs {
    /// The root of the Puppet module
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub module: PathBuf,
    /// Folders that hold other modules, separated by colons
    #[arg(long, value_name = "DIRS", value_delimiter = ':')]
    pub modulepath: Vec<PathBuf>,
    /// Puppet's setting `strict`: off, warning or error
    #[arg(long, value_name = "LEVEL", default_value = "warning", value_parser = strict)]
    pub puppet_strict: Strict,
    /// Change nothing; print what would change
    #[arg(long)]
    pub noop: bool,
}

impl PuppetArgs {
    /// The arguments of a run with the usual choices.
    pub fn runtime(&self) -> RuntimeArgs {
        RuntimeArgs {
            puppet: self.clone(),
            target: None,
            deviceconfig: None,
            config: None,
            interpreter: None,
            record: None,
            real_puppet: false,
            runtime: Version::default(),
            verbose: false,
            debug: false,
            format: ListFormat::Json,
            color: Color::Never,
        }
    }
}

/// How the types of a Puppet module are run.
#[derive(Clone, Debug, Args)]
pub struct RuntimeArgs {
    /// The module.
    #[command(flatten)]
    pub puppet: PuppetArgs,
    /// Apply to this device, which `[target.NAME]` of `stickler.toml` describes, or `--deviceconfig`
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,
    /// Read the device from this file, as `puppet device` does
    #[arg(long, value_name = "FILE", requires = "target")]
    pub deviceconfig: Option<PathBuf>,
    /// Read this file instead of the module's `stickler.toml`
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The Ruby that runs the providers
    #[arg(long, value_name = "PROGRAM")]
    pub interpreter: Option<String>,
    /// Write all calls of providers to a new file, for `stickler judge`
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Give providers the installed Puppet instead of stand-ins for it
    #[arg(long)]
    pub real_puppet: bool,
    /// Behave like this version of puppet/resource_api: 1.8.16, 2.0.1 or spec
    #[arg(long, value_name = "VERSION", default_value = "1.8.16", value_parser = version)]
    pub runtime: Version,
    /// Print messages of level info, too
    #[arg(long, short)]
    pub verbose: bool,
    /// Print all messages
    #[arg(long, short)]
    pub debug: bool,
    /// The output format: pretty or json
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// `stickler resource`
#[derive(Debug, Args)]
pub struct ResourceArgs {
    /// The type
    #[arg(value_name = "TYPE")]
    pub kind: String,
    /// The resource [default: all]
    pub name: Option<String>,
    /// Values to set
    #[arg(value_name = "ATTRIBUTE=VALUE", requires = "name")]
    pub values: Vec<String>,
    /// The module, and how it is run.
    #[command(flatten)]
    pub runtime: RuntimeArgs,
}

/// `stickler apply`
#[derive(Debug, Args)]
pub struct ApplyArgs {
    /// A manifest, or a catalog in JSON; `-` is a manifest on standard input
    #[arg(required_unless_present = "execute")]
    pub file: Option<PathBuf>,
    /// Apply this code instead of a file
    #[arg(long, short, value_name = "CODE", conflicts_with = "file")]
    pub execute: Option<String>,
    /// The module, and how it is run.
    #[command(flatten)]
    pub runtime: RuntimeArgs,
}

fn version(text: &str) -> Result<Version, String> {
    let mut named = Version::ALL.into_iter().filter(|one| one.name() == text);
    named
        .next()
        .ok_or_else(|| "write 1.8.16, 2.0.1 or spec".to_owned())
}

fn strict(text: &str) -> Result<Strict, String> {
    let mut named = Strict::ALL.into_iter().filter(|one| one.name() == text);
    named
        .next()
        .ok_or_else(|| "write off, warning or error".to_owned())
}
