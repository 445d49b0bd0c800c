//! Arguments of `stickler record`, and of this program in the place of a module.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

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
    pub arguments: Vec<OsString>,
}
