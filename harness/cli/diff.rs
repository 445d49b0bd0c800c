//! `stickler diff`: runs the same input with a reference and with the real program, or with a recording of it.

use stickler_face::args::DiffArgs;
use stickler_face::failure::{Done, Failure};
use stickler_face::{Comparison, Dialects, Face, options};

pub fn run(dialects: &Dialects, args: &DiffArgs) -> Done {
    let all: Vec<Comparison> = dialects.all().filter_map(Face::comparison).collect();
    // What no other dialect takes is the usual one's, which comes first.
    let mut chosen = all.iter().rev().filter(|one| (one.is_chosen)(args));
    let Some(chosen) = chosen.next() else {
        return Err(Failure::usage("no dialect compares this"));
    };
    options::fit_diff(dialects, chosen.subjects, &args.given)?;
    (chosen.run)(dialects, args)
}
