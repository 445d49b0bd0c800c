//! Arguments of `stickler init`.

use super::{Given, SandboxArgs};
use clap::Args;
use std::path::PathBuf;

/// `stickler init`
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The options that the user gave.
    #[command(flatten)]
    pub given: Given,
    /// The module [default: {found}, or this folder if it is {folders}]
    pub module: Option<PathBuf>,
    /// The program that runs the module [default: from its first line or its file name]
    #[arg(long, value_name = "PROGRAM")]
    pub interpreter: Option<String>,
    /// The sandbox.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// Overwrite the file if it exists
    #[arg(long)]
    pub force: bool,
    /// The file to write; `-` is standard output
    #[arg(long, short, value_name = "FILE", default_value = "stickler.toml")]
    pub output: PathBuf,
}
