//! Removed parts of the language: cf-agent's parser warns about them and ignores them.

use cfengine_policy::syntax::{Type, syntax};
use cfengine_policy::tree::{Attribute, Body, Bundle, Policy, Section};
use cfengine_policy::{FileId, Sources, Span};
use std::borrow::Cow;
use std::fmt::Write;

fn is_removed_body(body: &Body) -> bool {
    syntax().is_removed_body(&body.kind.text)
}

fn is_removed_section(section: &Section) -> bool {
    syntax().is_removed_promise(&section.kind.text)
}

/// Whether an attribute was removed from bodies of this type.
fn is_removed_attribute(kind: &str, attribute: &Attribute) -> bool {
    let known = syntax().body(kind);
    let found = known.and_then(|known| known.get(&*attribute.name.text));
    found.is_some_and(|found| found.kind == Type::Removed)
}

fn holds_removed(policy: &Policy) -> bool {
    let of_body = |body: &Body| {
        let kind = &body.kind.text;
        let mut attributes = body.attributes();
        is_removed_body(body) || attributes.any(|(_, a)| is_removed_attribute(kind, a))
    };
    let sections = policy.bundles.iter().flat_map(|bundle| &bundle.sections);
    policy.bodies.iter().any(of_body) || sections.into_iter().any(is_removed_section)
}

/// The policy without removed parts. Promises after a removed one in its bundle are lost too.
pub(crate) fn without(policy: &Policy) -> Cow<'_, Policy> {
    if !holds_removed(policy) {
        return Cow::Borrowed(policy);
    }
    let mut policy = policy.clone();
    policy.bodies.retain(|body| !is_removed_body(body));
    for body in &mut policy.bodies {
        let kind = &body.kind.text;
        for context in &mut body.contexts {
            context.items.retain(|a| !is_removed_attribute(kind, a));
        }
    }
    for bundle in &mut policy.bundles {
        let first = bundle.sections.iter().position(is_removed_section);
        bundle.sections.truncate(first.unwrap_or(usize::MAX));
    }
    Cow::Owned(policy)
}

/// Finds bundles that only cf-promises keeps: cf-agent's parser drops a bundle that follows a
/// removed body.
pub(crate) fn lost(policy: &Policy) -> impl Fn(&Bundle) -> bool {
    let removed = policy.bodies.iter().filter(|body| is_removed_body(body));
    let removed: Vec<Span> = removed.map(|body| body.span).collect();
    move |bundle| {
        let follows = |body: &Span| {
            let between = |span: Span| body.start < span.start && span.start < bundle.span.start;
            body.start < bundle.span.start
                && !policy.bodies.iter().any(|other| between(other.span))
                && !policy.bundles.iter().any(|other| between(other.span))
        };
        &*bundle.component.text == "agent" && removed.iter().any(follows)
    }
}

/// The parser's warnings about a file.
pub(crate) fn warnings(policy: &Policy, sources: &Sources) -> String {
    let mut found = Vec::new();
    for body in &policy.bodies {
        let kind = &*body.kind.text;
        if is_removed_body(body) {
            let what = format!("body '{}' of type '{kind}'", body.name.text);
            found.push((body.brace, 0, what));
            continue;
        }
        for (_, attribute) in body.attributes() {
            if is_removed_attribute(kind, attribute) {
                let name = &attribute.name.text;
                let what = format!("constraint '{name}' in promise type '{kind}'");
                let span = attribute.span;
                found.push((span, to_semicolon(span, sources), what));
            }
        }
    }
    for bundle in &policy.bundles {
        let component = &bundle.component.text;
        for section in bundle.sections.iter().filter(|s| is_removed_section(s)) {
            let kind = &section.kind;
            let what = format!("promise type '{}' in bundle type '{component}'", kind.text);
            // The parser has also read the colon.
            found.push((kind.span, 1, what));
        }
    }
    found.sort_by_key(|(span, ..)| span.start);
    let mut out = String::new();
    for (span, further, what) in found {
        warn(span.file, span.end + further, &what, sources, &mut out);
    }
    out
}

/// How far the semicolon is, up to which the parser has read.
fn to_semicolon(span: Span, sources: &Sources) -> u32 {
    let bytes = sources.get(span.file).bytes();
    let behind = bytes.get(span.end as usize..).unwrap_or_default();
    let semicolon = behind.iter().position(|byte| *byte == b';');
    semicolon.unwrap_or(0) as u32
}

/// Appends a warning. The parser does not know the text of the first line.
fn warn(file: FileId, at: u32, what: &str, sources: &Sources, out: &mut String) {
    let source = sources.get(file);
    let at = source.position(at);
    let line = match at.line {
        1 => "(null)".into(),
        line => String::from_utf8_lossy(source.line(line)),
    };
    let (path, column) = (source.path(), at.column);
    let _ = writeln!(
        out,
        "{path}:{}:{column}: warning: Removed {what} [-Wremoved]",
        at.line
    );
    let _ = writeln!(out, "{line}\n{:>column$}", '^');
}
