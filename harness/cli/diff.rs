//! `stickler diff`: runs the same policy in the reference agent and in cf-agent, or applies the same
//! manifest with Stickler's runtime and with Puppet.

mod agents;
mod both;
mod generate;
mod policy;
mod puppet;
mod show;

use crate::args::DiffArgs;
use crate::failure::Done;
use crate::options;
use stickler_dialects::{PROMISE_MODULE, RESOURCE_API};

pub fn run(args: &DiffArgs) -> Done {
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
