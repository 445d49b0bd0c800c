//! `stickler diff`: runs the same policy in the reference agent and in cf-agent.

mod agents;
mod generate;
mod policy;

use crate::args::DiffOptions;
use stickler_face::Done;
use stickler_face::args::DiffArgs;

/// Runs the policy, or generated ones.
pub fn run(args: &DiffArgs) -> Done {
    let own: DiffOptions = args.given.options()?;
    match &args.file {
        Some(file) => policy::run(args, &own, file),
        None => generate::run(args, &own),
    }
}
