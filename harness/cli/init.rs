//! `stickler init`: examines a subject and writes a `stickler.toml` for it.

use stickler_face::args::InitArgs;
use stickler_face::failure::Done;
use stickler_face::{Dialects, chosen, options};

pub fn run(dialects: &Dialects, args: &InitArgs) -> Done {
    let chosen = chosen::of_init(dialects, args)?;
    let face = dialects.named(&chosen.dialect)?;
    options::fit(dialects, face, &args.given)?;
    face.init(dialects, args, &chosen.to_string())
}
