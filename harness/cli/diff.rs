//! `stickler diff`: runs the same input with a reference and with the real program, or with a recording of it.

use stickler_face::args::DiffArgs;
use stickler_face::{Dialects, Done, Failure, options};

pub fn run(dialects: &Dialects, args: &DiffArgs) -> Done {
    let each = dialects.each();
    let mut all: Vec<_> = each
        .filter_map(|own| Some((own.face.comparison()?, own)))
        .collect();
    // What no other dialect takes is the usual one's, which comes first.
    all.retain(|(comparison, _)| (comparison.is_chosen)(args));
    let Some((comparison, own)) = all.pop() else {
        return Err(Failure::usage("no dialect compares this"));
    };
    options::fit_diff(dialects, comparison.subjects, &args.given)?;
    (comparison.run)(&own, args)
}
