//! Arguments of `stickler check`.

use super::{ReportArgs, SandboxArgs, SubjectArgs};
use clap::{Args, Command};
use std::path::PathBuf;
use std::str::FromStr;

/// `stickler check`
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// The module, or a folder with a `stickler.toml`; several are checked one after the other
    /// [default: this folder]
    #[arg(value_name = "MODULE")]
    pub modules: Vec<PathBuf>,
    /// The subject.
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// The sandbox.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// The report.
    #[command(flatten)]
    pub report: ReportArgs,
    /// The seed for random values
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Stop starting sessions after this time, such as 90s, 5m, or 90 for seconds; `none` runs all
    /// sessions [default: 60s; with --sessions, --deep or --baseline: none]
    #[arg(long, value_name = "DURATION")]
    pub time: Option<String>,
    /// Run at most this many sessions, beside those of the examples as they are. Unlike --time, it does not
    /// depend on the speed of the machine
    #[arg(long, value_name = "N")]
    pub sessions: Option<usize>,
    /// List the slowest sessions: this many, or `all`
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "10")]
    pub durations: Option<Most>,
    /// Run only sessions whose name, relation or example contains these words, such as
    /// `drift and not clone`
    #[arg(short = 'k', value_name = "WORDS")]
    pub words: Option<String>,
    /// Use only the example with this name (may be repeated)
    #[arg(long = "example", value_name = "NAME")]
    pub examples: Vec<String>,
    /// Run only what failed in the last check, and judge the rules that failed
    #[arg(long, conflicts_with_all = ["words", "shard", "sessions_for"])]
    pub last_failed: bool,
    /// End at the first failure of level `must`
    #[arg(short = 'x', long = "exit-first", conflicts_with = "baseline")]
    pub first_failure: bool,
    /// On each change of the module: run what failed, then a quick check
    #[arg(long, conflicts_with_all = ["baseline", "outputs"])]
    pub watch: bool,
    /// The number of sessions that use a CPU in parallel [default: one for each CPU]. A few sessions
    /// that only wait run in addition. With `--jobs 1`, these run in parallel only if sessions share
    /// nothing: in overlay sandboxes, without the network and exposed files
    #[arg(long)]
    pub jobs: Option<usize>,
    /// Run only part K of N, such as 1/4
    #[arg(long, value_name = "K/N")]
    pub shard: Option<String>,
    /// Run only the sessions that rules with this PREFIX read, and judge all rules on them (may
    /// be repeated)
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub sessions_for: Vec<String>,
    /// Run only the cheapest cases of each rule
    #[arg(long, conflicts_with = "deep")]
    pub quick: bool,
    /// Start each process of the subject anew, instead of copying a Python that has started before. Findings are always
    /// confirmed so
    #[arg(long)]
    pub cold: bool,
    /// Run ten times as many variants
    #[arg(long)]
    pub deep: bool,
    /// Folder for the files that reproduce findings
    #[arg(long, value_name = "DIR", default_value = ".stickler")]
    pub reproducers: PathBuf,
    /// Keep the transcripts of all sessions in `.stickler/`
    #[arg(long)]
    pub keep: bool,
    /// Add today's failures to `stickler.toml` as known failures
    #[arg(long)]
    pub baseline: bool,
}

/// The ids of the options that only the suite reads, those of dialects included.
const SUITE: [&str; 21] = [
    "outputs",
    "report",
    "strict",
    "select",
    "ignore",
    "speaker",
    "seed",
    "time",
    "sessions",
    "durations",
    "words",
    "examples",
    "last_failed",
    "first_failure",
    "watch",
    "shard",
    "sessions_for",
    "quick",
    "cold",
    "deep",
    "baseline",
];

/// An option of `check` takes the place of the suite: it conflicts with all that only the suite reads.
pub fn instead_of_suite(check: Command, id: &str) -> Command {
    let has = |id: &&str| check.get_arguments().any(|arg| arg.get_id() == *id);
    let unread: Vec<&str> = SUITE.into_iter().filter(has).collect();
    check.mut_arg(id, |arg| arg.conflicts_with_all(unread))
}

/// A number, or all.
#[derive(Clone, Copy, Debug)]
pub struct Most(pub usize);

impl FromStr for Most {
    type Err = String;
    fn from_str(text: &str) -> Result<Most, String> {
        match text {
            "all" => Ok(Most(usize::MAX)),
            number => number
                .parse()
                .map(Most)
                .map_err(|_| "write a number, or `all`".to_owned()),
        }
    }
}
