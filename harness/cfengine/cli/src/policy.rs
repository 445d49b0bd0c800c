//! `stickler policy`: examines CFEngine policies.

mod check;
mod order;
mod read;

use crate::args::{PolicyArgs, PolicyCommand};
use stickler_face::Done;

pub fn run(args: &PolicyArgs) -> Done {
    match &args.command {
        PolicyCommand::Check(args) => check::run(args),
        PolicyCommand::Order(args) => order::run(args),
    }
}
