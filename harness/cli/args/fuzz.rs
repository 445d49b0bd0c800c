//! Arguments of `stickler fuzz`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use stickler_face::args::{ListFormat, SandboxArgs, SubjectArgs};
use stickler_face::terminal::Color;

/// `stickler fuzz`
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct FuzzArgs {
    /// A command about corpora, instead of a campaign.
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
    /// End after this many sessions
    #[arg(long, value_name = "N")]
    pub cases: Option<u64>,
    /// End at the first confirmed defect that fails the run
    #[arg(long)]
    pub until_finding: bool,
    /// The folder of the campaign, with its corpus, its findings and a summary
    /// [default: `.stickler/fuzz/NAME`]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// The folder of the corpus: inputs that showed something new. A campaign continues from it
    /// [default: `corpus` in the folder of the campaign]
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// The folder for the files that reproduce findings
    /// [default: `findings` in the folder of the campaign]
    #[arg(long, value_name = "DIR")]
    pub reproducers: Option<PathBuf>,
    /// How Stickler learns which lines or branches of the module run: auto (from the interpreter, or
    /// from code that is compiled into it), off, python, bash, ruby, native or afl
    #[arg(long, value_name = "KIND", default_value = "auto")]
    pub coverage: Coverage,
    /// Run the corpus once, without changing it
    #[arg(long, conflicts_with_all = ["time", "cases"])]
    pub replay_only: bool,
    /// The seed for random values [default: a new one, which is printed]
    #[arg(long)]
    pub seed: Option<u64>,
    /// The number of workers [default: one for each CPU]
    #[arg(long)]
    pub jobs: Option<usize>,
    /// Run as campaign K of N, such as 1/4: each explores other sessions
    #[arg(long, value_name = "K/N")]
    pub shard: Option<String>,
    /// The output format: pretty or json
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
    /// Also write a web page: findings, plots, and which lines of the module ran: DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Also show what each technique brought: how many sessions it made, what these showed first, and how long they took
    #[arg(long)]
    pub yields: bool,
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
    /// Fuzz the agent whose command is after `--`, with situations that are made up: what it is to do, and how modules
    /// answer it
    #[arg(long)]
    pub agent: bool,
}

/// How Stickler learns which lines of a module run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Coverage {
    /// From the interpreter, if it can report lines
    Auto,
    /// Not at all: the campaign follows only answers
    Off,
    /// With a hook that compiles the module
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

/// Commands about corpora.
#[derive(Clone, Debug, Subcommand)]
pub enum FuzzCommand {
    /// Merge several corpora, or the inputs and findings of several campaigns.
    Merge(MergeArgs),
    /// Run a corpus, and remove inputs that show nothing new.
    Min(Box<MinArgs>),
    /// Print a C file; a native module that is compiled with it reports its branches.
    Runtime,
}

/// `stickler fuzz merge`
#[derive(Clone, Debug, Args)]
pub struct MergeArgs {
    /// The corpus to add to, or the folder of a campaign; it need not exist
    #[arg(value_name = "INTO")]
    pub into: PathBuf,
    /// Corpora, or folders of campaigns; for these, the exit code is the highest of theirs
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
}
