//! Prints a tree as policy text.

use crate::text;
use crate::tree::{Attribute, Body, Bundle, Call, Context, Guard, Name, Policy, Promise, Rval};

/// Prints a policy: its blocks in the order of their places, and strings in double quotes. Parsing
/// the result gives the same tree, apart from places. Comments, and text that an `@if` excludes,
/// are lost.
pub fn print(policy: &Policy) -> Vec<u8> {
    let bundles = policy.bundles.iter().map(Block::Bundle);
    let bodies = policy.bodies.iter().map(|body| Block::Body("body", body));
    let promises = policy.promise_blocks.iter();
    let promises = promises.map(|body| Block::Body("promise", body));
    let mut blocks: Vec<Block> = bundles.chain(bodies).chain(promises).collect();
    blocks.sort_by_key(|block| {
        let span = match block {
            Block::Bundle(bundle) => bundle.span,
            Block::Body(_, body) => body.span,
        };
        (span.file, span.start)
    });
    let mut out = String::new();
    for block in blocks {
        match block {
            Block::Bundle(block) => bundle(&mut out, block),
            Block::Body(keyword, block) => body(&mut out, keyword, block),
        }
    }
    text::encode(&out).into_owned()
}

/// Quotes a text as a string of the language.
pub fn quoted(text: &str) -> String {
    let mut out = String::new();
    string(&mut out, text);
    out
}

enum Block<'a> {
    Bundle(&'a Bundle),
    Body(&'static str, &'a Body),
}

fn head(out: &mut String, keyword: &str, kind: &Name, name: &Name, parameters: &[Name]) {
    for word in [keyword, " ", &kind.text, " ", &name.text] {
        out.push_str(word);
    }
    if !parameters.is_empty() {
        out.push('(');
        separated(out, parameters, |out, name| out.push_str(&name.text));
        out.push(')');
    }
    out.push_str("\n{\n");
}

fn bundle(out: &mut String, bundle: &Bundle) {
    let Bundle {
        component,
        name,
        parameters,
        ..
    } = bundle;
    head(out, "bundle", component, name, parameters);
    for section in &bundle.sections {
        out.push_str("  ");
        out.push_str(&section.kind.text);
        out.push_str(":\n");
        contexts(out, &section.contexts, promise);
    }
    out.push_str("}\n");
}

fn body(out: &mut String, keyword: &str, body: &Body) {
    head(out, keyword, &body.kind, &body.name, &body.parameters);
    contexts(out, &body.contexts, |out, item| {
        out.push_str("      ");
        attribute(out, item);
    });
    out.push_str("}\n");
}

fn contexts<T>(out: &mut String, contexts: &[Context<T>], item: fn(&mut String, &T)) {
    for context in contexts {
        if let Some(shown) = &context.guard {
            guard(out, shown);
        }
        for one in &context.items {
            item(out, one);
            out.push_str(";\n");
        }
    }
}

fn guard(out: &mut String, guard: &Guard) {
    let quote = match (guard.quoted, guard.text.contains('"')) {
        (false, _) => "",
        (true, false) => "\"",
        (true, true) => "'",
    };
    for piece in ["    ", quote, &guard.text, quote, "::\n"] {
        out.push_str(piece);
    }
}

fn promise(out: &mut String, promise: &Promise) {
    out.push_str("      ");
    string(out, &promise.promiser.text);
    if let Some(promisee) = &promise.promisee {
        out.push_str(" -> ");
        rval(out, promisee);
    }
    for (at, item) in promise.attributes.iter().enumerate() {
        out.push_str(if at == 0 { "\n        " } else { ",\n        " });
        attribute(out, item);
    }
}

fn attribute(out: &mut String, attribute: &Attribute) {
    out.push_str(&attribute.name.text);
    out.push_str(" => ");
    rval(out, &attribute.value);
}

fn rval(out: &mut String, value: &Rval) {
    match value {
        Rval::String(text) => string(out, &text.text),
        Rval::Symbol(name) => out.push_str(&name.text),
        Rval::Variable(text) => out.push_str(&text.text),
        Rval::List(list) => {
            out.push_str("{ ");
            separated(out, &list.items, rval);
            out.push_str(" }");
        }
        Rval::Call(Call {
            name, arguments, ..
        }) => {
            out.push_str(&name.text);
            out.push('(');
            separated(out, arguments, rval);
            out.push(')');
        }
    }
}

fn string(out: &mut String, value: &str) {
    out.push('"');
    for c in value.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
}

fn separated<T>(out: &mut String, items: &[T], item: impl Fn(&mut String, &T)) {
    for (at, one) in items.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        item(out, one);
    }
}
