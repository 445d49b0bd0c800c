//! `stickler init`: examines a subject and writes a `stickler.toml` for it.

mod mgmt;
mod output;
mod promise_module;
mod puppet;
mod starter;

use crate::args::InitArgs;
use crate::chosen::{self, Chosen};
use crate::face::{self, Face, Job};
use crate::failure::Done;
use crate::options;

pub use mgmt::run as of_resources;
pub use promise_module::run as of_module;
pub use puppet::run as of_puppet_module;

pub fn run(args: &InitArgs) -> Done {
    let chosen = chosen::of_init(args)?;
    face::with(&chosen.dialect, Init(args, &chosen))?
}

struct Init<'a>(&'a InitArgs, &'a Chosen);

impl Job for Init<'_> {
    type Done = Done;
    fn with<F: Face>(self, face: &F) -> Done {
        options::fit(face, &self.0.given)?;
        face.init(self.0, self.1)
    }
}
