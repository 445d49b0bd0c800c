//! Arguments of `stickler policy`.

use super::compat;
use cfengine_protocol::release::{self, Compat};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use stickler_face::args::ListFormat;

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
    /// Where policies are, and how results are shown.
    #[command(flatten)]
    pub shared: Shared,
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
    /// Where policies are, and how results are shown.
    #[command(flatten)]
    pub shared: Shared,
}

/// What both commands have.
#[derive(Debug, Args)]
pub struct Shared {
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
