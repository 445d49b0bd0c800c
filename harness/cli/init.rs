//! `stickler init`: examines a subject and writes a `stickler.toml` for it.

mod output;
mod promise_module;
mod puppet;
mod starter;

use crate::args::InitArgs;
use crate::face::{self, Face, Job};
use crate::failure::Done;
use std::path::Path;

pub use promise_module::run as of_module;

pub fn run(args: &InitArgs) -> Done {
    let folder = args.module.as_deref().unwrap_or(Path::new("."));
    if args.policy.is_none() && puppet_suite::is_module(folder) {
        return puppet::run(args, folder);
    }
    face::with(face::USUAL, Init(args))?
}

struct Init<'a>(&'a InitArgs);

impl Job for Init<'_> {
    type Done = Done;
    fn with<F: Face>(self, face: &F) -> Done {
        face.init(self.0)
    }
}
