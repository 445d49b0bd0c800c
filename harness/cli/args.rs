//! Arguments of the neutral commands.

mod conform;
#[cfg(feature = "campaign")]
mod fuzz;

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use stickler_face::args::{
    CheckArgs, DiffArgs, InitArgs, ListFormat, ReportArgs, SandboxArgs, SubjectArgs,
};
use stickler_face::terminal::Color;

pub use conform::ConformArgs;
#[cfg(feature = "campaign")]
pub use fuzz::{Coverage, FuzzArgs, FuzzCommand, MergeArgs, MinArgs};

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "stickler", version, about = env!("CARGO_PKG_DESCRIPTION"))]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The neutral commands. Between them, those of dialects stand in the help.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the conformance suite on a module.
    #[command(display_order = 10)]
    Check(Box<CheckArgs>),
    /// Run a campaign: generate sessions with a module, and report broken rules.
    #[cfg(feature = "campaign")]
    #[command(display_order = 20)]
    Fuzz(Box<FuzzArgs>),
    /// Show a rule's manual page.
    #[command(display_order = 30)]
    Explain(ExplainArgs),
    /// List the rules.
    #[command(display_order = 40)]
    Rules(RulesArgs),
    /// Write a sound and a broken module into a folder, to try Stickler with.
    #[command(display_order = 45)]
    Demo(DemoArgs),
    /// Inspect a module and write a `stickler.toml` for it.
    #[command(display_order = 50)]
    Init(InitArgs),
    /// Store a module's answers as snapshots, and show what changes.
    #[command(display_order = 60)]
    Snap(Box<SnapArgs>),
    /// Run a reproducer again, and say whether it still fails.
    #[command(display_order = 70)]
    Replay(ReplayArgs),
    /// Judge stored transcripts, without starting a module.
    #[command(display_order = 80)]
    Judge(JudgeArgs),
    /// Show what this machine supports: sandboxes, interpreters, agents.
    #[command(display_order = 90)]
    Doctor(DoctorArgs),
    /// {comparisons}, and show the differences.
    #[command(display_order = 100)]
    Diff(Box<DiffArgs>),
    /// Play the recorded situations with an agent: what does it do otherwise, and which rules does it break?
    #[command(display_order = 105)]
    Conform(Box<ConformArgs>),
    /// Compare subjects that bring the same intent about: what each claims and leaves.
    #[command(display_order = 110)]
    Equal(EqualArgs),
    /// Print a JSON Schema, for editors and programs.
    #[command(display_order = 120)]
    Schema(SchemaArgs),
    /// Print a script that completes command lines in a shell.
    #[command(display_order = 130)]
    Completions(CompletionsArgs),
    /// Write the manual pages.
    #[command(display_order = 140)]
    Man(ManArgs),
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

/// `stickler demo`
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// The system or dialect: {demos}
    #[arg(value_name = "SYSTEM")]
    pub system: String,
    /// The folder, which must not exist yet
    #[arg(value_name = "FOLDER", default_value = "stickler-demo")]
    pub folder: PathBuf,
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
    pub of: String,
    /// The kind of subject that `stickler.toml` describes: {dialects}
    #[arg(long, required = false)]
    pub dialect: String,
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
