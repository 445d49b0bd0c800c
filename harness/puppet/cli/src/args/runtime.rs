//! Arguments of the commands that run Puppet's Resource API.

use clap::Args;
use puppet_runtime::{Release, Strict};
use std::path::PathBuf;
use stickler_face::args::ListFormat;
use stickler_face::missing::nearest;
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
    /// Puppet's setting `strict`: off, warning or error [default: as Puppet of --runtime: warning
    /// in 7, error in 8]
    #[arg(long, value_name = "LEVEL", value_parser = strict)]
    pub puppet_strict: Option<Strict>,
    /// Change nothing; print what would change
    #[arg(long)]
    pub noop: bool,
}

impl PuppetArgs {
    /// The arguments of a run of a release with the usual choices.
    pub fn runtime(&self, release: Option<Release>) -> RuntimeArgs {
        RuntimeArgs {
            puppet: self.clone(),
            target: None,
            deviceconfig: None,
            config: None,
            interpreter: None,
            record: None,
            real_puppet: false,
            runtime: release,
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
    /// Behave like this Puppet with this puppet-resource_api: 7.23+1.8.16, 8+1.9, 8+2.0 or spec
    /// [default: the installed one if it is one of these, else 8+2.0]
    #[arg(long, value_name = "RELEASE", value_parser = release)]
    pub runtime: Option<Release>,
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

impl RuntimeArgs {
    /// How strict Puppet is: as the release is, unless the user says otherwise.
    pub fn strict(&self, release: Release) -> Strict {
        let own = self.puppet.puppet_strict;
        own.unwrap_or(release.core.strict)
    }
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
    /// Fail if the resource fails, as `puppet resource --fail` of Puppet 8; this command always does
    #[arg(long)]
    pub fail: bool,
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

/// The release of this name.
///
/// # Errors
/// If there is none; the text lists all.
pub(super) fn release(text: &str) -> Result<Release, String> {
    Release::named(text).ok_or_else(|| {
        let names = Release::ALL.map(|one| one.name);
        let short = Release::ALL.iter().flat_map(|one| one.short);
        // Anything is near to a name of one digit.
        let is_long = |name: &str| name.len() > 2;
        let all = names.iter().chain(short);
        let all = all.filter(|name| is_long(name) && is_long(text));
        let meant = nearest(text, all.copied());
        let meant = meant.map_or_else(String::new, |name| format!("; did you mean {name}?"));
        format!("there are {}{meant}", names.join(", "))
    })
}

fn strict(text: &str) -> Result<Strict, String> {
    let mut named = Strict::ALL.into_iter().filter(|one| one.name() == text);
    named
        .next()
        .ok_or_else(|| "write off, warning or error".to_owned())
}
