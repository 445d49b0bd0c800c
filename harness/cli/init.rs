//! `stickler init`: examines a subject and writes a `stickler.toml` for it.

mod mgmt;
mod output;
mod promise_module;
mod puppet;
mod starter;

use crate::args::InitArgs;
use crate::chosen;
use crate::face;
use crate::failure::Done;
use crate::options;

pub use mgmt::run as of_resources;
pub use promise_module::run as of_module;
pub use puppet::run as of_puppet_module;

pub fn run(args: &InitArgs) -> Done {
    let chosen = chosen::of_init(args)?;
    let face = face::named(&chosen.dialect)?;
    options::fit(&*face, &args.given)?;
    face.init(args, &chosen)
}
