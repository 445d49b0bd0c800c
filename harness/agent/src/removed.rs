//! Attributes of bodies that the language once had: the agent warns of them and
//! leaves them out.

use std::fmt::Write;
use stickler_policy::Sources;
use stickler_policy::syntax::{Type, syntax};
use stickler_policy::tree::{Attribute, Policy};

/// Whether bodies of a kind had such an attribute once.
pub(crate) fn is_removed(kind: &str, attribute: &str) -> bool {
    let known = syntax().body(kind);
    let found = known.and_then(|known| known.get(attribute));
    found.is_some_and(|found| found.kind == Type::Removed)
}

/// The parser's warnings of a file.
pub(crate) fn warnings(policy: &Policy, sources: &Sources) -> String {
    let mut out = String::new();
    for body in &policy.bodies {
        let kind = &*body.kind.text;
        for (_, attribute) in body.attributes() {
            if is_removed(kind, &attribute.name.text) {
                warn(kind, attribute, sources, &mut out);
            }
        }
    }
    out
}

/// The parser has read on to the semicolon; of a file's first line it does not know
/// the text.
fn warn(kind: &str, attribute: &Attribute, sources: &Sources, out: &mut String) {
    let source = sources.get(attribute.span.file);
    let end = attribute.span.end;
    let behind = source.bytes().get(end as usize..).unwrap_or_default();
    let semicolon = behind.iter().position(|byte| *byte == b';').unwrap_or(0);
    let at = source.position(end.saturating_add(semicolon as u32));
    let line = match at.line {
        1 => "(null)".into(),
        line => String::from_utf8_lossy(source.line(line)),
    };
    let (path, name, column) = (source.path(), &attribute.name.text, at.column);
    let _ = writeln!(
        out,
        "{path}:{}:{column}: warning: Removed constraint '{name}' in promise type '{kind}' [-Wremoved]",
        at.line
    );
    let _ = writeln!(out, "{line}\n{:>column$}", '^');
}
