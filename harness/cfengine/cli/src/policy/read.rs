//! What the commands for policies share: policies with their inputs, and problems as JSON.

use cfengine_policy::{Constants, Diagnostic, Loaded, Sources, load};
use cfengine_protocol::release::Release;
use std::path::Path;
use stickler_face::Failure;

/// Reads a policy with its inputs.
///
/// # Errors
/// If that fails.
pub fn read(
    sources: &mut Sources,
    file: &Path,
    workdir: &Path,
    release: &'static Release,
) -> Result<Loaded, Failure> {
    let constants = Constants {
        workdir: workdir.to_path_buf(),
        entry: file.to_path_buf(),
        release,
    };
    load(sources, file, &constants, release)
        .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))
}

/// A problem or note as JSON.
pub fn event(event: &str, diagnostic: &Diagnostic, sources: &Sources) -> serde_json::Value {
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
