//! Arguments of `stickler conform`.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use stickler_face::args::{ReportArgs, SandboxArgs};

/// `stickler conform`
#[derive(Clone, Debug, Args)]
pub struct ConformArgs {
    /// The agent under test: its program and the arguments before its options
    #[arg(last = true, required = true, value_name = "AGENT")]
    pub command: Vec<OsString>,
    /// Whose agent it is: {dialects} [default: the first of them]
    #[arg(long, value_name = "DIALECT")]
    pub dialect: Option<String>,
    /// The sandbox.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// The report.
    #[command(flatten)]
    pub report: ReportArgs,
    /// Begin no further situation after this time, such as 90s or 5m [default: play all]
    #[arg(long, value_name = "DURATION")]
    pub time: Option<String>,
    /// Play only situations whose name contains these words, such as `header or hostile`
    #[arg(short = 'k', value_name = "WORDS")]
    pub words: Option<String>,
    /// Also play the situations of this file, or of the files of this folder (may be repeated)
    #[arg(long, value_name = "PATH")]
    pub situations: Vec<PathBuf>,
    /// How many situations are played at one time [default: one for each CPU]. Those in which an agent only waits are
    /// played beside them
    #[arg(long)]
    pub jobs: Option<usize>,
    /// Known findings. If the file does not exist, it is written with those of this run
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write what the agent does as a recording of this release [default: of the version that it says]
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "", conflicts_with = "baseline")]
    pub record: Option<String>,
    /// The folder for the recording
    #[arg(
        long,
        value_name = "DIR",
        default_value = "recorded",
        requires = "record"
    )]
    pub into: PathBuf,
    /// The folder for the files that reproduce findings
    #[arg(long, value_name = "DIR", default_value = ".stickler")]
    pub reproducers: PathBuf,
}
