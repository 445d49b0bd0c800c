//! `stickler diff`: runs the same policy in the reference agent and in cf-agent, or applies the same
//! manifest with Stickler's runtime and with Puppet; or replays recorded graphs of mgmt in the reference engine.

mod agents;
mod both;
mod generate;
mod graphs;
mod policy;
mod puppet;
mod show;

use crate::args::DiffArgs;
use crate::failure::Done;
use crate::options;
use stickler_dialects::{MGMT, PROMISE_MODULE, RESOURCE_API};

pub fn run(args: &DiffArgs) -> Done {
    // Recordings of graphs hold their input.
    if let (None, Some(recorded)) = (&args.file, &args.recorded) {
        options::fit_diff(MGMT, &args.given)?;
        return graphs::run(args, recorded);
    }
    let dialect = match &args.file {
        Some(file) if puppet::is_for_puppet(file) => RESOURCE_API,
        _ => PROMISE_MODULE,
    };
    options::fit_diff(dialect, &args.given)?;
    match &args.file {
        Some(file) if puppet::is_for_puppet(file) => puppet::run(args, file),
        Some(file) => policy::run(args, file),
        None => generate::run(args),
    }
}
