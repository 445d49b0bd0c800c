//! `stickler policy`: examines CFEngine policies.

mod check;
mod order;
mod read;

use crate::args::PolicyCommand;
use stickler_face::Done;

pub fn run(command: &PolicyCommand) -> Done {
    match command {
        PolicyCommand::Check(args) => check::run(args),
        PolicyCommand::Order(args) => order::run(args),
    }
}
