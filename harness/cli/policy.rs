//! `stickler policy`: examines CFEngine policies.

mod check;
mod order;

use crate::args::{PolicyArgs, PolicyCommand};
use crate::failure::{Done, Failure};
use cfengine_policy::{Constants, Diagnostic, Loaded, Sources, load};
use std::path::Path;

pub fn run(args: &PolicyArgs) -> Done {
    match &args.command {
        PolicyCommand::Check(args) => check::run(args),
        PolicyCommand::Order(args) => order::run(args),
    }
}

/// Reads a policy with its inputs.
fn read(sources: &mut Sources, file: &Path, workdir: &Path) -> Result<Loaded, Failure> {
    let constants = Constants {
        workdir: workdir.to_path_buf(),
        entry: file.to_path_buf(),
    };
    load(sources, file, &constants)
        .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))
}

/// A problem or note as JSON.
fn event(event: &str, diagnostic: &Diagnostic, sources: &Sources) -> serde_json::Value {
    let source = sources.get(diagnostic.span.file);
    let at = source.position(diagnostic.span.start);
    serde_json::json!({
        "event": event,
        "file": &**source.path(),
        "line": at.line,
        "column": at.column,
        "message": diagnostic.message,
        "source": String::from_utf8_lossy(source.line(at.line)),
    })
}
