//! Arguments of `stickler diff`.

use super::{Given, ListFormat, SandboxArgs};
use crate::terminal::Color;
use clap::Args;
use std::path::PathBuf;

/// `stickler diff`
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// {files}
    #[arg(required_unless_present_any = ["recorded"])]
    pub file: Option<String>,
    /// The options that the user gave.
    #[command(flatten)]
    pub given: Given,
    /// Store the results of {peers} in a file
    #[arg(long, value_name = "FILE", conflicts_with = "recorded")]
    pub store: Option<PathBuf>,
    /// Compare with the results that `--store` wrote, not with an installed program; without another file: {replays}
    #[arg(long, value_name = "FILE")]
    pub recorded: Option<PathBuf>,
    /// How long each agent may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub deadline: f64,
    /// The output format: pretty or json
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
    /// The sandbox.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}
