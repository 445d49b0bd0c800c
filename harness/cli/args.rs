//! Arguments of all commands.

#[cfg(feature = "campaign")]
mod fuzz;
mod given;
mod graph;
mod puppet;

use crate::terminal::Color;
use cfengine_diff::Mode;
use cfengine_protocol::release::{self, Compat};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use stickler_report::Format;
use stickler_suite::Speech;

#[cfg(feature = "campaign")]
pub use fuzz::{Coverage, FuzzArgs, FuzzCommand, MergeArgs, MinArgs};
pub use given::Given;
pub use graph::{GraphArgs, GraphFormat};
pub use puppet::{ApplyArgs, PuppetArgs, ResourceArgs, RuntimeArgs};

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "stickler", version, about = env!("CARGO_PKG_DESCRIPTION"))]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the conformance suite on a module.
    Check(Box<CheckArgs>),
    /// Run a campaign: generate sessions with a module, and report broken rules.
    #[cfg(feature = "campaign")]
    Fuzz(Box<FuzzArgs>),
    /// Show a rule's manual page.
    Explain(ExplainArgs),
    /// List the rules.
    Rules(RulesArgs),
    /// Inspect a module and write a `stickler.toml` for it.
    Init(InitArgs),
    /// Store a module's answers as snapshots, and show what changes.
    Snap(Box<SnapArgs>),
    /// Run a reproducer again, and say whether it still fails.
    Replay(ReplayArgs),
    /// Judge stored transcripts, without starting a module.
    Judge(JudgeArgs),
    /// Record the conversation between an agent and a module.
    Record(RecordArgs),
    /// Check CFEngine policies, and show their normal order.
    Policy(PolicyArgs),
    /// Show what this machine supports: sandboxes, interpreters, agents.
    Doctor(DoctorArgs),
    /// Run a CFEngine policy as cf-agent does, with its modules.
    Agent(Box<AgentArgs>),
    /// Run a policy with the reference agent and with cf-agent, or apply a manifest as Stickler and
    /// Puppet do, and show the differences.
    Diff(Box<DiffArgs>),
    /// Compare subjects that bring the same intent about: what each claims and leaves.
    Equal(EqualArgs),
    /// Apply a manifest or a catalog as `puppet apply` does, with the providers of a Puppet module.
    Apply(Box<ApplyArgs>),
    /// List, show and change resources of a Puppet module as `puppet resource` does.
    Resource(Box<ResourceArgs>),
    /// Run a graph of mgmt resources as mgmt does, with the resources of a Go package.
    Graph(Box<GraphArgs>),
    /// Print a JSON Schema, for editors and programs.
    Schema(SchemaArgs),
    /// Print a script that completes command lines in a shell.
    Completions(CompletionsArgs),
    /// Write the manual pages.
    Man(ManArgs),
    /// Record the requests to a module, in its place.
    #[command(hide = true)]
    Interpose(InterposeArgs),
    /// Run as the module of generated policies.
    #[command(hide = true)]
    Scripted(ScriptedArgs),
}

/// The heading of options that only promise modules have.
const PROMISE_MODULES: &str = "Options for promise modules";

/// The heading of options that only Puppet modules have.
const PUPPET_MODULES: &str = "Options for Puppet modules";
const MGMT: &str = "Options for mgmt resources";

/// The heading of options of `diff` for policies.
const POLICIES: &str = "Options for CFEngine policies";

/// The heading of options of `diff` for manifests.
const MANIFESTS: &str = "Options for Puppet manifests and catalogs";

/// The module under test, and how to start it.
#[derive(Clone, Debug, Default, Args)]
pub struct SubjectArgs {
    /// The options of the command that the user gave.
    #[command(flatten)]
    pub given: Given,
    /// The module, which each command reads for itself.
    #[arg(skip)]
    pub module: Option<PathBuf>,
    /// The program that runs the module, like `interpreter` in a promise block
    #[arg(long, value_name = "PROGRAM")]
    pub interpreter: Option<String>,
    /// Read this file instead of `stickler.toml`
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The kind of subject: `promise-module`, `resource-api` or `mgmt` [default: from `stickler.toml`, or
    /// from the files of the folder]
    #[arg(long, value_name = "DIALECT")]
    pub dialect: Option<String>,
    /// A promise type that the module serves (may be repeated)
    #[arg(long = "promise-type", value_name = "NAME", help_heading = PROMISE_MODULES)]
    pub promise_types: Vec<String>,
    /// A type of the Puppet module (may be repeated) [default: all]
    #[arg(long = "type", value_name = "NAME", help_heading = PUPPET_MODULES)]
    pub types: Vec<String>,
    /// A kind of mgmt resources (may be repeated) [default: all]
    #[arg(long = "kind", value_name = "NAME", help_heading = MGMT)]
    pub kinds: Vec<String>,
    /// Build mgmt resources with Go's race detector, which MR604 needs: it needs a C compiler, and makes all slower
    #[arg(long, help_heading = MGMT)]
    pub race: bool,
    /// Build mgmt resources with mgmt's own engine, which MR605 needs: the package's module needs what the engine
    /// imports
    #[arg(long, help_heading = MGMT)]
    pub with_engine: bool,
    /// Give providers the installed Puppet instead of stand-ins for it: each session starts more slowly
    #[arg(long, help_heading = PUPPET_MODULES)]
    pub real_puppet: bool,
    /// Take interpreter, path and examples from the promise blocks and promises of a policy
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "command"], help_heading = PROMISE_MODULES)]
    pub policy: Option<PathBuf>,
    /// The promiser of an example; `{dir}` stands for an empty directory
    #[arg(long, help_heading = PROMISE_MODULES)]
    pub promiser: Option<String>,
    /// An attribute of that example (may be repeated)
    #[arg(long = "attribute", value_name = "NAME=VALUE", help_heading = PROMISE_MODULES)]
    pub attributes: Vec<String>,
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

/// How the suite writes requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Speaker {
    /// Byte for byte as the oldest version of cf-agent that `[subject] agents` names, and as newer ones where their
    /// messages differ
    #[default]
    Agent,
    /// As the specification shows
    Spec,
}

impl From<Speaker> for Speech {
    fn from(speaker: Speaker) -> Speech {
        match speaker {
            Speaker::Agent => Speech::Agent,
            Speaker::Spec => Speech::Spec,
        }
    }
}

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
    /// How to write requests: as cf-agent does, or as the specification shows
    #[arg(long = "as", value_name = "SPEAKER", default_value = "agent", help_heading = PROMISE_MODULES)]
    pub speaker: Speaker,
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
    /// Instead of the suite, run the graphs of mgmt resources in all files `*.txtar` below this folder, and compare
    /// what happens with what they say
    #[arg(long, value_name = "DIR", conflicts_with_all = NO_CASES)]
    pub cases: Option<PathBuf>,
    /// Write what happens into these files
    #[arg(long, requires = "cases")]
    pub accept: bool,
}

/// The options that cases have no use for.
const NO_CASES: [&str; 20] = [
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
    "deep",
    "baseline",
];

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

/// `stickler explain`
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Codes such as PM503, or their beginnings: PM5 stands for PM501, PM502, …
    #[arg(required = true, value_name = "RULE")]
    pub rules: Vec<String>,
    /// The output format: pretty or json
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// `stickler rules`
#[derive(Debug, Args)]
pub struct RulesArgs {
    /// The output format: pretty or json
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
}

/// `stickler init`
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The options that the user gave.
    #[command(flatten)]
    pub given: Given,
    /// The module [default: the one that `--policy` names, or this folder if it is a Puppet module or a Go package]
    pub module: Option<PathBuf>,
    /// Take interpreter, path and examples from the promise blocks and promises of a policy
    #[arg(long, value_name = "FILE", help_heading = PROMISE_MODULES)]
    pub policy: Option<PathBuf>,
    /// The program that runs the module [default: from its first line or its file name]
    #[arg(long, value_name = "PROGRAM")]
    pub interpreter: Option<String>,
    /// A promise type that the module serves (may be repeated) [default: from its file name or
    /// header]
    #[arg(long = "promise-type", value_name = "NAME", help_heading = PROMISE_MODULES)]
    pub promise_types: Vec<String>,
    /// A kind of mgmt resources (may be repeated) [default: all]
    #[arg(long = "kind", value_name = "NAME", help_heading = MGMT)]
    pub kinds: Vec<String>,
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

/// `stickler snap`
#[derive(Clone, Debug, Args)]
pub struct SnapArgs {
    /// The module, or a folder with a `stickler.toml` [default: this folder]
    pub module: Option<PathBuf>,
    /// The subject.
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// The sandbox.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// Read the conversation from a recording, without starting a module (may be repeated)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["module", "command", "config"])]
    pub recorded: Vec<PathBuf>,
    /// Review the differences one by one
    #[arg(long, conflicts_with = "accept")]
    pub review: bool,
    /// Accept all differences, and remove snapshots without an example
    #[arg(long)]
    pub accept: bool,
    /// The folder for snapshots [default: `snapshots` beside `stickler.toml`]
    #[arg(long, value_name = "DIR")]
    pub snapshots: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// `stickler replay`
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The reproducer that a finding names, such as `.stickler/git.py-PM804-….jsonl`
    pub file: PathBuf,
    /// Run the module at this path instead of the stored path
    #[arg(long, value_name = "PATH")]
    pub module: Option<PathBuf>,
    /// Show all differences of the conversation
    #[arg(long, short)]
    pub verbose: bool,
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

/// `stickler judge`
#[derive(Debug, Args)]
pub struct JudgeArgs {
    /// Transcript files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Read known failures (`xfail`, `waive`) from this `stickler.toml`
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The report.
    #[command(flatten)]
    pub report: ReportArgs,
}

/// The default limit of a recording, in MiB.
pub const LIMIT: u64 = stickler_session::record::LIMIT >> 20;

/// `stickler record`
#[derive(Debug, Args)]
pub struct RecordArgs {
    // Resetting the style prevents clap from reading `{n}` as a line break.
    #[arg(
        long,
        short,
        value_name = "FILE",
        help = "The transcript to write; `{\u{1b}[0mn}` and `{pid}` in its name stand for a free number \
                and the process id. With --wrap: the executable to write"
    )]
    pub out: PathBuf,
    /// Write an executable that starts and records this module; name it in a promise block
    #[arg(long, value_name = "MODULE", conflicts_with = "command")]
    pub wrap: Option<PathBuf>,
    /// The program that runs the wrapped module, like `interpreter` in a promise block
    #[arg(long, value_name = "PROGRAM", requires = "wrap")]
    pub interpreter: Option<String>,
    /// The folder for transcripts of a wrapped module; STICKLER_RECORDINGS overrides it
    /// [default: `recordings` beside the executable]
    #[arg(long, value_name = "DIR", requires = "wrap")]
    pub recordings: Option<PathBuf>,
    /// How much to record, in MiB; the rest passes unrecorded
    #[arg(long, value_name = "MIB", default_value_t = LIMIT)]
    pub limit: u64,
    /// An agent began the transcript, this many microseconds after the machine started
    #[arg(
        long,
        hide = true,
        value_name = "MICROSECONDS",
        conflicts_with = "wrap"
    )]
    pub begun: Option<u64>,
    /// The command with which the agent would start the module
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "wrap")]
    pub command: Vec<OsString>,
}

/// `stickler policy`
#[derive(Debug, Args)]
pub struct PolicyArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: PolicyCommand,
}

/// The commands for policies.
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Accept or reject policy files with all their inputs, as `cf-promises -f` does.
    Check(PolicyCheckArgs),
    /// Show the normal order of a component, or a policy in that order.
    Order(PolicyOrderArgs),
}

/// `stickler policy check`
#[derive(Debug, Args)]
pub struct PolicyCheckArgs {
    /// Policy files; each is checked as a separate policy
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[arg(long, value_name = "VERSION", value_parser = compat, help = format!(
        "Check as this version of cf-agent: {} [default: the installed one, or the measured one that is nearest \
         to it; the newest if none is installed]",
        release::versions()
    ))]
    pub compat: Option<Compat>,
    /// The agent's work directory, which determines `$(sys.inputdir)`
    #[arg(
        long,
        value_name = "DIR",
        env = "CFENGINE_TEST_OVERRIDE_WORKDIR",
        hide_env_values = true,
        default_value = "/var/lib/cfengine3"
    )]
    pub workdir: PathBuf,
    /// The output format: pretty or json
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
}

/// `stickler policy order`
#[derive(Debug, Args)]
pub struct PolicyOrderArgs {
    /// The component, or `edit_line` for bundles that edit lines
    #[arg(long, value_name = "COMPONENT")]
    pub component: Component,
    /// The policy to show in that order [default: show only the order]
    pub file: Option<PathBuf>,
    #[arg(long, value_name = "VERSION", value_parser = compat, default_value = Compat::default().name(), help = format!(
        "Follow this version of cf-agent, or the specification: {}",
        Compat::choices()
    ))]
    pub compat: Compat,
    /// The agent's work directory, which determines `$(sys.inputdir)`
    #[arg(
        long,
        value_name = "DIR",
        env = "CFENGINE_TEST_OVERRIDE_WORKDIR",
        hide_env_values = true,
        default_value = "/var/lib/cfengine3"
    )]
    pub workdir: PathBuf,
    /// The output format: pretty or json
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
}

/// Components with a normal order.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Component {
    /// cf-agent
    Agent,
    /// cf-serverd
    Server,
    /// cf-monitord
    Monitor,
    /// Bundles of cf-agent that edit a file's lines
    EditLine,
}

/// Reads whose behaviour is followed.
fn compat(name: &str) -> Result<Compat, String> {
    Compat::named(name).ok_or_else(|| {
        let known: Vec<&str> = Compat::names().collect();
        format!(
            "this version was not measured; there are {}, and 3.24 is the newest of 3.24",
            known.join(", ")
        )
    })
}

/// `stickler doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print an AppArmor profile that lets this program use user namespaces
    #[arg(long)]
    pub apparmor_profile: bool,
    /// The output format: pretty or json
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

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

/// `stickler diff`
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// A CFEngine policy; or, for Puppet, a manifest (`.pp`) or a catalog (`.json`)
    #[arg(required_unless_present_any = ["generate", "recorded"], conflicts_with = "generate")]
    pub file: Option<String>,
    /// The options that the user gave.
    #[command(flatten)]
    pub given: Given,
    /// Compare only in this mode: plain, inform, verbose, dry-run, error, simulate (may be
    /// repeated) [default: all]
    #[arg(long = "mode", value_name = "MODE", value_delimiter = ',', help_heading = POLICIES)]
    pub modes: Vec<Mode>,
    /// Run these bundles instead of the policy's bundlesequence
    #[arg(long, short = 'b', value_name = "BUNDLES", help_heading = POLICIES)]
    pub bundlesequence: Option<String>,
    /// Set these classes
    #[arg(long, short = 'D', value_name = "CLASSES", help_heading = POLICIES)]
    pub define: Option<String>,
    /// Do not set these persistent classes of earlier runs
    #[arg(long, short = 'N', value_name = "CLASSES", help_heading = POLICIES)]
    pub negate: Option<String>,
    /// Store the results of cf-agent or of Puppet in a file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["recorded", "generate"])]
    pub store: Option<PathBuf>,
    /// Compare with the results that `--store` wrote, not with an installed program; without another file: replay
    /// recorded graphs of mgmt
    #[arg(long, value_name = "FILE", conflicts_with = "generate")]
    pub recorded: Option<PathBuf>,
    /// The cf-agent program [default: from PATH, or from where packages install it]
    #[arg(long, value_name = "PROGRAM", help_heading = POLICIES)]
    pub cf_agent: Option<PathBuf>,
    /// Compare on N generated policies
    #[arg(long, value_name = "N", help_heading = POLICIES)]
    pub generate: Option<u64>,
    /// Seed of the generated policies [default: a new one, which is printed]
    #[arg(long, requires = "generate", help_heading = POLICIES)]
    pub seed: Option<u64>,
    /// The number of generated policies that run in parallel [default: one for each CPU]
    #[arg(long, requires = "generate", help_heading = POLICIES)]
    pub jobs: Option<usize>,
    /// The folder for generated policies on which the agents differ
    #[arg(
        long,
        value_name = "DIR",
        default_value = ".stickler",
        requires = "generate",
        help_heading = POLICIES
    )]
    pub out: PathBuf,
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
    /// The Puppet module. Its heading is that of all options that follow.
    #[command(flatten, next_help_heading = MANIFESTS)]
    pub puppet: PuppetArgs,
}

/// `stickler equal`
#[derive(Debug, Args)]
pub struct EqualArgs {
    /// The file with the intent and its subjects
    #[arg(value_name = "CASE.toml")]
    pub file: PathBuf,
    /// The sandbox.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// Keep the transcripts of all sessions in `.stickler/`
    #[arg(long)]
    pub keep: bool,
    /// Also show the conversations in which subjects differ
    #[arg(long, short)]
    pub verbose: bool,
    /// The output format: pretty or json
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// `stickler schema`
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// What the schema describes
    #[arg(value_name = "OF", default_value = "config")]
    pub of: SchemaOf,
    /// The kind of subject that `stickler.toml` describes: `promise-module`, `resource-api`
    /// or `mgmt`
    #[arg(long, default_value = "promise-module")]
    pub dialect: String,
}

/// What a schema describes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SchemaOf {
    /// `stickler.toml`
    Config,
    /// A line of a report in the format `json`
    Report,
    /// A line of `stickler fuzz --format json`
    #[cfg(feature = "campaign")]
    Fuzz,
    /// A line of `stickler diff --format json`
    Diff,
    /// A line of `stickler graph --format json`
    Graph,
    /// A line of `stickler equal --format json`
    Equal,
    /// The file of `stickler equal`
    EqualCase,
    /// A line of a transcript
    Transcript,
}

/// `stickler completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// `stickler man`
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write one page per command into this folder [default: print the main page]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// The module of generated policies.
#[derive(Debug, Args)]
pub struct ScriptedArgs {
    /// The module's file; its name selects the protocol
    pub file: PathBuf,
}

/// Arguments of the recorder that replaces a module.
#[derive(Debug, Args)]
pub struct InterposeArgs {
    /// The file that replaces the module
    pub stand_in: PathBuf,
    /// The arguments for the module
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<std::ffi::OsString>,
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
