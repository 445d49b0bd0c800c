//! `stickler init`: examines a subject and writes a `stickler.toml` for it.

mod output;
mod promise_module;
mod puppet;
mod starter;

use crate::args::InitArgs;
use crate::face::{self, Face, Job};
use crate::failure::Done;
use crate::options;
use std::path::Path;
use stickler_dialects::{USUAL, claimed};

pub use promise_module::run as of_module;
pub use puppet::run as of_puppet_module;

pub fn run(args: &InitArgs) -> Done {
    let folder = args.module.as_deref().unwrap_or(Path::new("."));
    let claimed = claimed(folder).filter(|_| args.policy.is_none());
    let dialect = claimed.map_or(USUAL, |claimed| claimed.dialect);
    face::with(dialect, Init(args))?
}

struct Init<'a>(&'a InitArgs);

impl Job for Init<'_> {
    type Done = Done;
    fn with<F: Face>(self, face: &F) -> Done {
        options::fit(face, &self.0.given)?;
        face.init(self.0)
    }
}
