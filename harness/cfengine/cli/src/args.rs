//! What CFEngine adds to the command line.

mod agent;
mod policy;
mod record;

use cfengine_diff::Mode;
use cfengine_protocol::release::Compat;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use stickler_suite::Speech;

pub use agent::{AgentArgs, Simulate};
pub use policy::{Component, PolicyCheckArgs, PolicyCommand, PolicyOrderArgs};
pub use record::{InterposeArgs, RecordArgs, ScriptedArgs};

/// The heading of options that only promise modules have.
const PROMISE_MODULES: &str = "Options for promise modules";

/// The heading of options of `diff` for policies.
const POLICIES: &str = "Options for CFEngine policies";

/// Its own commands.
#[derive(Debug, Subcommand)]
pub enum Commands {
    /// Record the conversation between an agent and a module.
    #[command(display_order = 81)]
    Record(RecordArgs),
    /// Check CFEngine policies, and show their normal order.
    #[command(subcommand, display_order = 82)]
    Policy(PolicyCommand),
    /// Run a CFEngine policy as cf-agent does, with its modules.
    #[command(display_order = 91)]
    Agent(Box<AgentArgs>),
    /// Record the requests to a module, in its place.
    #[command(hide = true)]
    Interpose(InterposeArgs),
    /// Run as the module of generated policies.
    #[command(hide = true)]
    Scripted(ScriptedArgs),
}

/// Options about a module and its promises.
#[derive(Debug, Default, Args)]
#[group(skip)]
#[command(next_help_heading = PROMISE_MODULES)]
pub struct SubjectOptions {
    /// A promise type that the module serves (may be repeated)
    #[arg(long = "promise-type", value_name = "NAME", display_order = 31)]
    pub promise_types: Vec<String>,
    /// Take interpreter, path and examples from the promise blocks and promises of a policy
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "command"], display_order = 37)]
    pub policy: Option<PathBuf>,
    /// The promiser of an example; `{dir}` stands for an empty directory
    #[arg(long, display_order = 38)]
    pub promiser: Option<String>,
    /// An attribute of that example (may be repeated)
    #[arg(long = "attribute", value_name = "NAME=VALUE", display_order = 39)]
    pub attributes: Vec<String>,
}

/// Options of `stickler init`.
#[derive(Debug, Default, Args)]
#[group(skip)]
#[command(next_help_heading = PROMISE_MODULES)]
pub struct InitOptions {
    /// Take interpreter, path and examples from the promise blocks and promises of a policy
    #[arg(long, value_name = "FILE", display_order = 1)]
    pub policy: Option<PathBuf>,
    /// A promise type that the module serves (may be repeated) [default: from its file name or
    /// header]
    #[arg(long = "promise-type", value_name = "NAME", display_order = 11)]
    pub promise_types: Vec<String>,
}

/// How the suite writes requests.
#[derive(Debug, Default, Args)]
#[group(skip)]
#[command(next_help_heading = PROMISE_MODULES)]
pub struct SpeechOptions {
    /// How to write requests: as cf-agent does, or as the specification shows
    #[arg(
        long = "as",
        value_name = "SPEAKER",
        default_value = "agent",
        display_order = 131
    )]
    pub speaker: Speaker,
}

/// Options of `stickler diff` for policies.
#[derive(Debug, Default, Args)]
#[group(skip)]
#[command(next_help_heading = POLICIES)]
pub struct DiffOptions {
    /// Compare only in this mode: plain, inform, verbose, dry-run, error, simulate (may be
    /// repeated) [default: all]
    #[arg(
        long = "mode",
        value_name = "MODE",
        value_delimiter = ',',
        display_order = 1
    )]
    pub modes: Vec<Mode>,
    /// Run these bundles instead of the policy's bundlesequence
    #[arg(long, short = 'b', value_name = "BUNDLES", display_order = 2)]
    pub bundlesequence: Option<String>,
    /// Set these classes
    #[arg(long, short = 'D', value_name = "CLASSES", display_order = 3)]
    pub define: Option<String>,
    /// Do not set these persistent classes of earlier runs
    #[arg(long, short = 'N', value_name = "CLASSES", display_order = 4)]
    pub negate: Option<String>,
    /// The cf-agent program [default: from PATH, or from where packages install it]
    #[arg(long, value_name = "PROGRAM", display_order = 21)]
    pub cf_agent: Option<PathBuf>,
    /// Compare on N generated policies
    #[arg(long, value_name = "N", display_order = 22)]
    pub generate: Option<u64>,
    /// Seed of the generated policies [default: a new one, which is printed]
    #[arg(long, requires = "generate", display_order = 23)]
    pub seed: Option<u64>,
    /// The number of generated policies that run in parallel [default: one for each CPU]
    #[arg(long, requires = "generate", display_order = 24)]
    pub jobs: Option<usize>,
    /// The folder for generated policies on which the agents differ
    #[arg(
        long,
        value_name = "DIR",
        default_value = ".stickler",
        requires = "generate",
        display_order = 25
    )]
    pub out: PathBuf,
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
