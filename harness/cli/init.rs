//! `stickler init`: examines a subject and writes a `stickler.toml` for it.

use stickler_face::args::InitArgs;
use stickler_face::{Dialects, Done, chosen, options};

pub fn run(dialects: &Dialects, args: &InitArgs) -> Done {
    let chosen = chosen::of_init(dialects, args)?;
    options::fit(&chosen, &args.given)?;
    chosen.face.init(&chosen, args)
}
