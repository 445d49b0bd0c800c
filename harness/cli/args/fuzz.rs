//! Arguments of `stickler fuzz`.

use super::{ListFormat, SandboxArgs, Speaker, SubjectArgs};
use crate::terminal::Color;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// `stickler fuzz`
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct FuzzArgs {
    /// What to do with corpora, instead of a campaign.
    #[command(subcommand)]
    pub command: Option<FuzzCommand>,
    /// The module, or a folder with a `stickler.toml` [default: this folder]
    #[arg(value_name = "MODULE")]
    pub module: Option<PathBuf>,
    /// The subject.
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// The sandbox.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// End after this time, such as 60s or 8h [default: only Ctrl-C ends a campaign]
    #[arg(long = "for", alias = "time", value_name = "DURATION")]
    pub time: Option<String>,
    /// End after so many sessions
    #[arg(long, value_name = "N")]
    pub cases: Option<u64>,
    /// End once a defect is confirmed that fails the run
    #[arg(long)]
    pub until_finding: bool,
    /// The folder of the campaign, with its corpus, its findings and a summary
    /// [default: `.stickler/fuzz/NAME`]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// The folder of the corpus: what showed something new; a campaign goes on from it
    /// [default: `corpus` in the folder of the campaign]
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// The folder for the files that reproduce findings
    /// [default: `findings` in the folder of the campaign]
    #[arg(long, value_name = "DIR")]
    pub reproducers: Option<PathBuf>,
    /// Follow the lines or branches that the module runs: auto (by its interpreter, or by what is
    /// compiled into it), off, python, bash, ruby, native or afl
    #[arg(long, value_name = "KIND", default_value = "auto")]
    pub coverage: Coverage,
    /// Run the corpus once, and change nothing in it
    #[arg(long, conflicts_with_all = ["time", "cases"])]
    pub replay_only: bool,
    /// How to write requests: as cf-agent does, or as the specification shows
    #[arg(long = "as", value_name = "SPEAKER", default_value = "agent")]
    pub speaker: Speaker,
    /// The seed for random values [default: another one each time]
    #[arg(long)]
    pub seed: Option<u64>,
    /// The number of workers [default: one for each CPU]
    #[arg(long)]
    pub jobs: Option<usize>,
    /// This is campaign K of N that run side by side, such as 1/4: each takes another way
    #[arg(long, value_name = "K/N")]
    pub shard: Option<String>,
    /// The output format: pretty or json
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
    /// Also write a web page: findings, plots, and which lines of the module ran: DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Also show the excerpts of advice
    #[arg(long, short)]
    pub verbose: bool,
    /// Also fail on findings of level `should`
    #[arg(long)]
    pub strict: bool,
    /// Judge only rules whose code begins with PREFIX (may be repeated)
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Leave out rules whose code begins with PREFIX (may be repeated)
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// How a module tells which lines it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Coverage {
    /// By its interpreter, if that can tell
    Auto,
    /// Not at all: the campaign follows answers
    Off,
    /// With `sys.settrace`
    Python,
    /// With `set -x` on a separate descriptor
    Bash,
    /// With a trace point
    Ruby,
    /// With the file of `stickler fuzz runtime`, compiled into the program
    Native,
    /// With the runtime of AFL++, compiled into the program
    Afl,
}

/// What to do with corpora.
#[derive(Clone, Debug, Subcommand)]
pub enum FuzzCommand {
    /// Copy the inputs of several corpora into one, or the inputs and findings of several campaigns.
    Merge(MergeArgs),
    /// Run a corpus, and remove the inputs that show nothing that others do not show.
    Min(Box<MinArgs>),
    /// Print the C file that a native module is compiled with, so that it tells its branches.
    Runtime,
}

/// `stickler fuzz merge`
#[derive(Clone, Debug, Args)]
pub struct MergeArgs {
    /// The corpus to add to, or the folder of a campaign; it need not exist
    #[arg(value_name = "INTO")]
    pub into: PathBuf,
    /// The corpora to read, or folders of campaigns: then the exit code is the highest of theirs
    #[arg(required = true, value_name = "FROM")]
    pub from: Vec<PathBuf>,
}

/// `stickler fuzz min`
#[derive(Clone, Debug, Args)]
pub struct MinArgs {
    /// The corpus
    #[arg(value_name = "CORPUS")]
    pub corpus: PathBuf,
    /// The module, or a folder with a `stickler.toml` [default: this folder]
    #[arg(value_name = "MODULE")]
    pub module: Option<PathBuf>,
    /// The subject.
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// The sandbox.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// How to write requests: as cf-agent does, or as the specification shows
    #[arg(long = "as", value_name = "SPEAKER", default_value = "agent")]
    pub speaker: Speaker,
}
