//! Arguments of all commands.

use crate::terminal::Color;
use cfengine_diff::Mode;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use stickler_report::Format;

/// A test harness for the programs that configuration-management agents call.
#[derive(Debug, Parser)]
#[command(name = "stickler", version, about, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the conformance suite on a module.
    Check(CheckArgs),
    /// Show a rule's manual page.
    Explain(ExplainArgs),
    /// List the rules.
    Rules(RulesArgs),
    /// Look at a module and write a `stickler.toml` for it.
    Init(InitArgs),
    /// Snapshot a module's conversation, and see what changes in it.
    Snap(SnapArgs),
    /// Run a reproducer again: fixed, still failing, or changed?
    Replay(ReplayArgs),
    /// Judge stored transcripts; nothing is started.
    Judge(JudgeArgs),
    /// Stand between an agent and a module, and record what they say.
    Record(RecordArgs),
    /// Look at CFEngine policies: are they accepted, in which order are they taken?
    Policy(PolicyArgs),
    /// Show what this machine can do: sandboxes, interpreters, peers.
    Doctor(DoctorArgs),
    /// Run a CFEngine policy as cf-agent does, modules and all.
    Agent(Box<AgentArgs>),
    /// Run a policy through the reference agent and the installed cf-agent, and show where they part.
    Diff(Box<DiffArgs>),
    /// Stand in a module's place, and note what it is sent.
    #[command(hide = true)]
    Interpose(InterposeArgs),
    /// The module of generated policies.
    #[command(hide = true)]
    Scripted(ScriptedArgs),
}

/// Who is judged, and how it is called.
#[derive(Clone, Debug, Default, Args)]
pub struct SubjectArgs {
    /// The module. Without it, `stickler.toml` in this folder names one
    pub module: Option<PathBuf>,
    /// The program that runs the module, as `interpreter` in a promise block
    #[arg(long, value_name = "PROGRAM")]
    pub interpreter: Option<String>,
    /// Read this file instead of `stickler.toml`
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Only `promise-module` so far
    #[arg(long, value_name = "DIALECT")]
    pub dialect: Option<String>,
    /// A promise type that the module serves (may be repeated)
    #[arg(long = "promise-type", value_name = "NAME")]
    pub promise_types: Vec<String>,
    /// Take interpreter, path and examples from a policy: its promise blocks and promises
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "command"])]
    pub policy: Option<PathBuf>,
    /// The promiser of an example; `{dir}` is its empty scratch directory
    #[arg(long)]
    pub promiser: Option<String>,
    /// An attribute of that example (may be repeated)
    #[arg(long = "attribute", value_name = "NAME=VALUE")]
    pub attributes: Vec<String>,
    /// A command line to use instead of interpreter and module
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// Where subjects run.
#[derive(Clone, Debug, Default, Args)]
pub struct SandboxArgs {
    /// The sandbox: overlay, copy or none [default: the best there is]
    #[arg(long, value_name = "TIER")]
    pub sandbox: Option<String>,
}

/// How results are shown.
#[derive(Clone, Debug, Default, Args)]
pub struct ReportArgs {
    /// pretty, json, junit, sarif, tap or github
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: Format,
    /// Write another format to a file (may be repeated)
    #[arg(long = "output", value_name = "FORMAT=FILE")]
    pub outputs: Vec<String>,
    /// Say more: what advice is about, rules that were not exercised, and why
    #[arg(long, short)]
    pub verbose: bool,
    /// Use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    /// Fail on `should` too
    #[arg(long)]
    pub strict: bool,
    /// Judge only rules whose code begins so, on the sessions that they read (may be repeated)
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Leave out rules whose code begins so (may be repeated)
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub ignore: Vec<String>,
}

/// How the suite speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Speaker {
    /// Byte for byte as cf-agent 3.21.0
    #[default]
    Agent,
    /// As the specification shows
    Spec,
}

/// `stickler check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The subject.
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// The sandbox.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// The report.
    #[command(flatten)]
    pub report: ReportArgs,
    /// How requests are written: as the deployed agent or as the specification shows
    #[arg(long = "as", value_name = "SPEAKER", default_value = "agent")]
    pub speaker: Speaker,
    /// Seed of what is chosen at random
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Sessions at a time [default: one for each CPU]
    #[arg(long)]
    pub jobs: Option<usize>,
    /// Run part K of N
    #[arg(long, value_name = "K/N")]
    pub shard: Option<String>,
    /// Hold only the sessions that these rules read, and judge all rules on them (may be
    /// repeated)
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub sessions_for: Vec<String>,
    /// Each rule by its cheapest cases
    #[arg(long, conflicts_with = "deep")]
    pub quick: bool,
    /// Ten times the variants
    #[arg(long)]
    pub deep: bool,
    /// Folder for the files that reproduce findings
    #[arg(long, value_name = "DIR", default_value = ".stickler")]
    pub reproducers: PathBuf,
    /// Keep the transcripts of all sessions in `.stickler/`
    #[arg(long)]
    pub keep: bool,
    /// Write today's failures into `stickler.toml` as known ones
    #[arg(long)]
    pub baseline: bool,
}

/// `stickler explain`
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A rule's code, such as PM503
    pub rule: String,
    /// Use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// `stickler rules`
#[derive(Debug, Args)]
pub struct RulesArgs {
    /// pretty or json
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
}

/// `stickler init`
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The module to look at. `--policy` can name it instead
    #[arg(required_unless_present = "policy")]
    pub module: Option<PathBuf>,
    /// Take interpreter, path and examples from a policy: its promise blocks and promises
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// The program that runs the module [default: what its first line or its name says]
    #[arg(long, value_name = "PROGRAM")]
    pub interpreter: Option<String>,
    /// A promise type that the module serves (may be repeated) [default: from its name]
    #[arg(long = "promise-type", value_name = "NAME")]
    pub promise_types: Vec<String>,
    /// The sandbox.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// Overwrite the file if it is there
    #[arg(long)]
    pub force: bool,
    /// Write this file; `-` is standard output
    #[arg(long, short, value_name = "FILE", default_value = "stickler.toml")]
    pub output: PathBuf,
}

/// `stickler snap`
#[derive(Debug, Args)]
pub struct SnapArgs {
    /// The subject.
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// The sandbox.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// Take the conversation of a recording; nothing is started (may be repeated)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["module", "command", "config"])]
    pub recorded: Vec<PathBuf>,
    /// Go through the differences one by one
    #[arg(long, conflicts_with = "accept")]
    pub review: bool,
    /// Accept all differences, and remove snapshots that no example has
    #[arg(long)]
    pub accept: bool,
    /// The folder of the snapshots [default: `snapshots` beside `stickler.toml`]
    #[arg(long, value_name = "DIR")]
    pub snapshots: Option<PathBuf>,
    /// Use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// `stickler replay`
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The reproducer, as `check` names it: `.stickler/PM….jsonl`
    pub file: PathBuf,
    /// Show the whole difference of the conversations
    #[arg(long, short)]
    pub verbose: bool,
    /// pretty or json
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
    /// The sandbox.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// Use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// `stickler judge`
#[derive(Debug, Args)]
pub struct JudgeArgs {
    /// Transcripts; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Take known failures (`xfail`, `waive`) from this `stickler.toml`
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The report.
    #[command(flatten)]
    pub report: ReportArgs,
}

/// The default limit of a recording, in MiB.
pub const LIMIT: u64 = 256;

/// `stickler record`
#[derive(Debug, Args)]
pub struct RecordArgs {
    // Resetting the style prevents clap from reading `{n}` as a line break.
    #[arg(
        long,
        short,
        value_name = "FILE",
        help = "The transcript to write; `{\u{1b}[0mn}` and `{pid}` in its name become a free number and \
                the process id. With --wrap: the executable to write"
    )]
    pub out: PathBuf,
    /// Write an executable that records this module, to name in a promise block
    #[arg(long, value_name = "MODULE", conflicts_with = "command")]
    pub wrap: Option<PathBuf>,
    /// The program that runs the wrapped module, as `interpreter` in a promise block
    #[arg(long, value_name = "PROGRAM", requires = "wrap")]
    pub interpreter: Option<String>,
    /// Where a wrapped module's transcripts go; STICKLER_RECORDINGS overrules it
    /// [default: `recordings` beside the executable]
    #[arg(long, value_name = "DIR", requires = "wrap")]
    pub recordings: Option<PathBuf>,
    /// How much is recorded, in MiB; what is more passes unrecorded
    #[arg(long, value_name = "MIB", default_value_t = LIMIT)]
    pub limit: u64,
    /// The transcript was begun by an agent, so many microseconds after the machine was
    #[arg(
        long,
        hide = true,
        value_name = "MICROSECONDS",
        conflicts_with = "wrap"
    )]
    pub begun: Option<u64>,
    /// The module as the agent would start it
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

/// What is done with policies.
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
    /// Policy files, each a policy of its own
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The agent's work directory, in which `$(sys.inputdir)` lies
    #[arg(
        long,
        value_name = "DIR",
        env = "CFENGINE_TEST_OVERRIDE_WORKDIR",
        hide_env_values = true,
        default_value = "/var/lib/cfengine3"
    )]
    pub workdir: PathBuf,
    /// pretty or json
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
}

/// `stickler policy order`
#[derive(Debug, Args)]
pub struct PolicyOrderArgs {
    /// The component, or the kind of bundle within it
    #[arg(long, value_name = "COMPONENT")]
    pub component: Component,
    /// A policy to line up. Without it, the normal order itself is shown
    pub file: Option<PathBuf>,
    /// Whose order
    #[arg(long, value_name = "VERSION", default_value = "3.21.0")]
    pub compat: Compat,
    /// The agent's work directory, in which `$(sys.inputdir)` lies
    #[arg(
        long,
        value_name = "DIR",
        env = "CFENGINE_TEST_OVERRIDE_WORKDIR",
        hide_env_values = true,
        default_value = "/var/lib/cfengine3"
    )]
    pub workdir: PathBuf,
    /// pretty or json
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

/// Whose behaviour is followed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Compat {
    /// CFEngine 3.21.0
    #[value(name = "3.21.0")]
    Deployed,
    /// The specification
    #[value(name = "spec")]
    Specification,
}

/// `stickler doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// pretty or json
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
    /// Use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// `stickler agent`
#[derive(Debug, Args)]
// As in cf-agent, the last of several options counts.
#[command(args_override_self = true)]
pub struct AgentArgs {
    /// The policy: absolute, or with `./` before it
    #[arg(long, short = 'f', value_name = "FILE")]
    pub file: String,
    /// Run these bundles instead of the policy's bundlesequence
    #[arg(long, short = 'b', value_name = "BUNDLES", value_delimiter = ',')]
    pub bundlesequence: Vec<String>,
    /// Set these classes
    #[arg(long, short = 'D', value_name = "CLASSES", value_delimiter = ',')]
    pub define: Vec<String>,
    /// Leave out these classes of earlier runs
    #[arg(long, short = 'N', value_name = "CLASSES", value_delimiter = ',')]
    pub negate: Vec<String>,
    /// Ignore locks of earlier runs
    #[arg(long, short = 'K')]
    pub no_lock: bool,
    /// Print what is changed
    #[arg(long, short = 'I')]
    pub inform: bool,
    /// Print what is done
    #[arg(long, short = 'v')]
    pub verbose: bool,
    /// Print everything
    #[arg(long, short = 'd')]
    pub debug: bool,
    /// The least severe level to print: error, warning, notice, info, verbose, debug
    #[arg(long, short = 'g', value_name = "LEVEL")]
    pub log_level: Option<String>,
    /// Change nothing, say what should be
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// Change nothing, say at the end what should be
    #[arg(long, value_name = "WHAT", conflicts_with = "dry_run")]
    pub simulate: Option<Simulate>,
    /// Print classes at the end, those that a pattern is found in
    #[arg(long, value_name = "REGEX", num_args = 0..=1, require_equals = true, default_missing_value = ".*")]
    pub show_evaluated_classes: Option<String>,
    /// Print variables at the end, those that a pattern is found in
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
    /// Whose behaviour: where the specification of custom promise types says something
    /// else than cf-agent 3.21.0 does
    #[arg(long, value_name = "VERSION", default_value = "3.21.0")]
    pub compat: Compat,
    /// Record what is said with each module, in this folder
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Run what is supported where something is not
    #[arg(long)]
    pub skip_unsupported: bool,
    /// As cf-agent's; nothing is coloured
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, hide = true)]
    pub color: Option<Option<String>>,
    /// As cf-agent's; there are no extensions
    #[arg(long, hide = true)]
    pub no_extensions: bool,
    /// As cf-agent's; there are no data bases
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, hide = true)]
    pub skip_db_check: Option<Option<String>>,
    /// How long a module may take to answer, in seconds [default: 10, to evaluate 30]
    #[arg(long, value_name = "SECONDS")]
    pub deadline: Option<f64>,
    /// pretty (as cf-agent) or json (JSON Lines)
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
}

/// What `--simulate` tells of changed files.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Simulate {
    /// How they differ
    Diff,
    /// What they are
    Manifest,
    /// What they and all others are
    ManifestFull,
}

/// `stickler diff`
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The policy
    #[arg(required_unless_present = "generate", conflicts_with = "generate")]
    pub file: Option<String>,
    /// Compare in this mode alone: plain, inform, verbose, dry-run, error, simulate (may be repeated) [default: all]
    #[arg(long = "mode", value_name = "MODE", value_delimiter = ',')]
    pub modes: Vec<Mode>,
    /// Run these bundles instead of the policy's bundlesequence
    #[arg(long, short = 'b', value_name = "BUNDLES")]
    pub bundlesequence: Option<String>,
    /// Set these classes
    #[arg(long, short = 'D', value_name = "CLASSES")]
    pub define: Option<String>,
    /// Leave out these classes of earlier runs
    #[arg(long, short = 'N', value_name = "CLASSES")]
    pub negate: Option<String>,
    /// Write what was seen of cf-agent to a file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["recorded", "generate"])]
    pub store: Option<PathBuf>,
    /// Compare with what `--store` wrote, not with an installed cf-agent
    #[arg(long, value_name = "FILE", conflicts_with = "generate")]
    pub recorded: Option<PathBuf>,
    /// The real agent [default: the one in PATH, or where packages put it]
    #[arg(long, value_name = "PROGRAM")]
    pub cf_agent: Option<PathBuf>,
    /// Compare on so many generated policies
    #[arg(long, value_name = "N")]
    pub generate: Option<u64>,
    /// Seed of the generated policies [default: a new one, which is printed]
    #[arg(long, requires = "generate")]
    pub seed: Option<u64>,
    /// Generated policies at a time [default: one for each CPU]
    #[arg(long, requires = "generate")]
    pub jobs: Option<usize>,
    /// Where generated policies that differ are written
    #[arg(
        long,
        value_name = "DIR",
        default_value = ".stickler",
        requires = "generate"
    )]
    pub out: PathBuf,
    /// How long each agent may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub deadline: f64,
    /// pretty or json
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,
    /// The sandbox.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
    /// Use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// The module of generated policies.
#[derive(Debug, Args)]
pub struct ScriptedArgs {
    /// The module's file, whose name tells what it speaks
    pub file: PathBuf,
}

/// What stands in a module's place.
#[derive(Debug, Args)]
pub struct InterposeArgs {
    /// The file that stands in for the real one
    pub stand_in: PathBuf,
    /// What that one was to be given
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<std::ffi::OsString>,
}

/// Formats of lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For people
    #[default]
    Pretty,
    /// One JSON object a line
    Json,
}
