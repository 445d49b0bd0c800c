//! Arguments that several commands share, or that a dialect sees.

mod check;
mod diff;
mod given;
mod init;

use crate::terminal::Color;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use stickler_report::Format;

pub use check::{CheckArgs, Most, instead_of_suite};
pub use diff::DiffArgs;
pub use given::Given;
pub use init::InitArgs;

/// The module under test, and how to start it.
#[derive(Clone, Debug, Default, Args)]
pub struct SubjectArgs {
    /// The options of the command that the user gave.
    #[command(flatten)]
    pub given: Given,
    /// The module, which each command reads for itself.
    #[arg(skip)]
    pub module: Option<PathBuf>,
    /// The program that runs the module
    #[arg(long, value_name = "PROGRAM")]
    pub interpreter: Option<String>,
    /// Read this file instead of `stickler.toml`
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The kind of subject: {dialects} [default: from `stickler.toml`, or from the files of the folder]
    #[arg(long, value_name = "DIALECT")]
    pub dialect: Option<String>,
    /// An environment variable for the module (may be repeated)
    #[arg(long = "env", value_name = "NAME=VALUE")]
    pub env: Vec<String>,
    /// A command line to use instead of interpreter and module
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// Where modules run.
#[derive(Clone, Debug, Default, Args)]
pub struct SandboxArgs {
    /// The sandbox: overlay, copy or none [default: the best one available]
    #[arg(long, value_name = "TIER")]
    pub sandbox: Option<String>,
}

/// How results are shown.
#[derive(Clone, Debug, Default, Args)]
pub struct ReportArgs {
    /// The report's format: pretty, json, junit, sarif, tap, github, markdown, html or badge
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: Format,
    /// Also write the report to a file, in this format (may be repeated)
    #[arg(long = "output", value_name = "FORMAT=FILE")]
    pub outputs: Vec<String>,
    /// Also write the report as a web page, with the sessions behind findings: DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Also show the exchanges behind advice, and why rules were not exercised
    #[arg(long, short)]
    pub verbose: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    /// Also fail on findings of level `should`
    #[arg(long)]
    pub strict: bool,
    /// Judge only rules whose code begins with PREFIX, on the sessions that they read (may be
    /// repeated)
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Leave out rules whose code begins with PREFIX (may be repeated)
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub ignore: Vec<String>,
}

/// Formats of lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For people
    #[default]
    Pretty,
    /// One JSON object per line
    Json,
}
