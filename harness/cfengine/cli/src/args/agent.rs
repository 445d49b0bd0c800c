//! Arguments of `stickler agent`.

use super::compat;
use cfengine_protocol::release::Compat;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use stickler_face::args::ListFormat;

/// `stickler agent`
#[derive(Debug, Args)]
// As in cf-agent, the last of several options counts.
#[command(args_override_self = true)]
pub struct AgentArgs {
    /// The policy; a relative path without `./` is looked up in the work directory's inputs
    #[arg(long, short = 'f', value_name = "FILE")]
    pub file: String,
    /// Run these bundles instead of the policy's bundlesequence
    #[arg(long, short = 'b', value_name = "BUNDLES", value_delimiter = ',')]
    pub bundlesequence: Vec<String>,
    /// Set these classes
    #[arg(long, short = 'D', value_name = "CLASSES", value_delimiter = ',')]
    pub define: Vec<String>,
    /// Do not set these persistent classes of earlier runs
    #[arg(long, short = 'N', value_name = "CLASSES", value_delimiter = ',')]
    pub negate: Vec<String>,
    /// Ignore locks of earlier runs
    #[arg(long, short = 'K')]
    pub no_lock: bool,
    /// Print changes
    #[arg(long, short = 'I')]
    pub inform: bool,
    /// Print each step
    #[arg(long, short = 'v')]
    pub verbose: bool,
    /// Print everything
    #[arg(long, short = 'd')]
    pub debug: bool,
    /// The least severe level to print: error, warning, notice, info, verbose, debug
    #[arg(long, short = 'g', value_name = "LEVEL")]
    pub log_level: Option<String>,
    /// Change nothing; print what would change
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// Change nothing; print at the end which files would change
    #[arg(long, value_name = "WHAT", conflicts_with = "dry_run")]
    pub simulate: Option<Simulate>,
    /// At the end, print the classes in which REGEX matches [default: all]
    #[arg(long, value_name = "REGEX", num_args = 0..=1, require_equals = true, default_missing_value = ".*")]
    pub show_evaluated_classes: Option<String>,
    /// At the end, print the variables in which REGEX matches [default: all]
    #[arg(long, value_name = "REGEX", num_args = 0..=1, require_equals = true, default_missing_value = ".*")]
    pub show_evaluated_vars: Option<String>,
    /// The work directory
    #[arg(
        long,
        short = 'w',
        value_name = "DIR",
        env = "CFENGINE_TEST_OVERRIDE_WORKDIR"
    )]
    pub workdir: Option<PathBuf>,
    #[arg(long, value_name = "VERSION", value_parser = compat, default_value = Compat::default().name(), help = format!(
        "Follow this version of cf-agent, or the specification of custom promise types where versions differ from \
         it: {}; `3.24` is the newest of 3.24",
        Compat::choices()
    ))]
    pub compat: Compat,
    /// Record the conversation with each module in this folder
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Run the policy without its unsupported parts
    #[arg(long)]
    pub skip_unsupported: bool,
    /// How long a module may take to answer, in seconds [default: 10; 30 for an evaluation]
    #[arg(long, value_name = "SECONDS")]
    pub deadline: Option<f64>,
    /// The output format: pretty (as cf-agent) or json (JSON Lines)
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
}

/// What `--simulate` prints about files.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Simulate {
    /// The differences in changed files
    Diff,
    /// Changed files: type, owner, mode, content
    Manifest,
    /// All files that promises evaluated: type, owner, mode, content
    ManifestFull,
}
