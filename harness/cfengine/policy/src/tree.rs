//! The syntax tree: a policy as written, every node with its place.
//!
//! In strings, escapes are resolved, but variables (`$(…)`, `${…}`, `@(…)`) are not expanded.
//! Nothing is merged or reordered: two sections of one type in a bundle stay separate, and a
//! duplicate attribute stays a duplicate. See [`crate::text`] for bytes that are not UTF-8.

use crate::class::{ClassError, Expression};
use crate::source::Span;
use std::collections::HashMap;
use std::rc::Rc;

/// All blocks of one or several files, in order of appearance by type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    /// `bundle COMPONENT NAME …`
    pub bundles: Vec<Bundle>,
    /// `body KIND NAME …`, including control bodies.
    pub bodies: Vec<Body>,
    /// `promise agent NAME …`
    pub promise_blocks: Vec<Body>,
}

impl Policy {
    /// Appends the blocks of another policy.
    pub fn merge(&mut self, other: Policy) {
        self.bundles.extend(other.bundles);
        self.bodies.extend(other.bodies);
        self.promise_blocks.extend(other.promise_blocks);
    }

    /// The control body of a component, in any namespace: `control("common")` finds `body common
    /// control`.
    pub fn control(&self, component: &str) -> Option<&Body> {
        self.bodies
            .iter()
            .find(|body| &*body.kind.text == component && &*body.name.text == "control")
    }
}

/// A word of the policy: an identifier as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The word, with its namespace if it has one.
    pub text: Rc<str>,
    /// Its place.
    pub span: Span,
}

/// A text of the policy: a string or a bare variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The string's value, with variables unexpanded.
    pub text: Rc<str>,
    /// Its place, including quotes.
    pub span: Span,
}

/// `bundle agent main(a, b) { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// The current namespace at its place: `default` if none was set.
    pub namespace: Rc<str>,
    /// The component that it belongs to: `agent`, `common`, `edit_line`, ….
    pub component: Name,
    /// Its name, without the current namespace.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Name>,
    /// Its sections, as written.
    pub sections: Vec<Section>,
    /// From the keyword to the closing brace.
    pub span: Span,
}

impl Bundle {
    /// Its sections by type; the types are in order of first appearance.
    pub fn by_kind(&self) -> Vec<(&str, Vec<&Section>)> {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut kinds: Vec<(&str, Vec<&Section>)> = Vec::new();
        for section in &self.sections {
            let kind = &*section.kind.text;
            let place = *places.entry(kind).or_insert(kinds.len());
            match kinds.get_mut(place) {
                Some((_, sections)) => sections.push(section),
                None => kinds.push((kind, vec![section])),
            }
        }
        kinds
    }

    /// The promises of a type in all sections, in order, each with its guard.
    pub fn promises<'a>(
        &'a self,
        kind: &'a str,
    ) -> impl Iterator<Item = (Option<&'a Guard>, &'a Promise)> {
        self.sections
            .iter()
            .filter(move |section| &*section.kind.text == kind)
            .flat_map(Section::promises)
    }
}

/// `vars: …`, up to the next section or the bundle's end.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The promise type, without its colon.
    pub kind: Name,
    /// Its promises, by guard, as written.
    pub contexts: Vec<Context<Promise>>,
    /// From the promise type to the end of its last promise.
    pub span: Span,
}

impl Section {
    /// Its promises in order, each with its guard.
    pub fn promises(&self) -> impl Iterator<Item = (Option<&Guard>, &Promise)> {
        self.contexts.iter().flat_map(|context| {
            let guard = context.guard.as_ref();
            context.items.iter().map(move |promise| (guard, promise))
        })
    }
}

/// The items under one class guard. A guard without items is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Context<T> {
    /// The guard; `None` before the first one.
    pub guard: Option<Guard>,
    /// Promises, or attributes in a body.
    pub items: Vec<T>,
}

/// `linux.!debian::` or `"$(class)"::`.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    /// The expression as written, without quotes and colons.
    pub text: Rc<str>,
    /// Whether it is quoted: the text's variables are expanded before it is parsed.
    pub quoted: bool,
    /// The parsed text, without blanks and with variables unexpanded. For an unquoted guard,
    /// cf-agent evaluates this expression. It may still be an error (`a .::`), since cf-agent only
    /// parses up to the blank when it loads a policy.
    pub expression: Result<Expression, ClassError>,
    /// Its place, including colons.
    pub span: Span,
}

/// `"promiser" -> promisee attribute => value, …;`
#[derive(Clone, Debug, PartialEq)]
pub struct Promise {
    /// The promiser.
    pub promiser: Text,
    /// The value after `->`.
    pub promisee: Option<Rval>,
    /// Its attributes, as written.
    pub attributes: Vec<Attribute>,
    /// From the promiser to the semicolon.
    pub span: Span,
    /// The line number that cf-agent reports (`$(this.promise_linenumber)`): that of the promiser's
    /// end. Lines that an `@if` excludes do not count; lines that end in CR LF count twice.
    pub agent_line: u32,
}

impl Promise {
    /// The value of an attribute. Like cf-agent, uses the last one of duplicates.
    pub fn attribute(&self, name: &str) -> Option<&Rval> {
        let found = self.attributes.iter().rev().find(|a| &*a.name.text == name);
        found.map(|attribute| &attribute.value)
    }
}

/// `name => value`, in a promise or a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The name.
    pub name: Name,
    /// The value.
    pub value: Rval,
    /// From the name to the end of the value.
    pub span: Span,
}

/// `body KIND NAME(…) { … }` or `promise agent NAME { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The current namespace at its place: `default` if none was set.
    pub namespace: Rc<str>,
    /// The type: `perms`, `classes`, `common` (with the name `control`), …. For a promise block,
    /// the component: `agent`.
    pub kind: Name,
    /// Its name; for a promise block, the promise type.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Name>,
    /// The opening brace.
    pub brace: Span,
    /// Its attributes, by guard, as written.
    pub contexts: Vec<Context<Attribute>>,
    /// From the keyword to the closing brace.
    pub span: Span,
}

impl Body {
    /// Its attributes in order, each with its guard.
    pub fn attributes(&self) -> impl Iterator<Item = (Option<&Guard>, &Attribute)> {
        self.contexts.iter().flat_map(|context| {
            let guard = context.guard.as_ref();
            context
                .items
                .iter()
                .map(move |attribute| (guard, attribute))
        })
    }
}

/// The right-hand side of an attribute, an item of a list, or an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Rval {
    /// `"…"`, `'…'` or `` `…` ``
    String(Text),
    /// A bare word: the name of a body or bundle, or a plain text.
    Symbol(Name),
    /// A bare variable, `$(x)` or `@(x)`, with its sigil and brackets.
    Variable(Text),
    /// `{ a, b }`; its items are never lists.
    List(List),
    /// `name(…)`: a function, or a body or bundle with arguments.
    Call(Call),
}

impl Rval {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            Self::String(text) | Self::Variable(text) => text.span,
            Self::Symbol(name) => name.span,
            Self::List(list) => list.span,
            Self::Call(call) => call.span,
        }
    }

    /// The text of a value that cf-agent treats as a scalar: a string, a bare word or a bare
    /// variable.
    pub fn scalar(&self) -> Option<&Rc<str>> {
        match self {
            Self::String(text) | Self::Variable(text) => Some(&text.text),
            Self::Symbol(name) => Some(&name.text),
            Self::List(_) | Self::Call(_) => None,
        }
    }
}

/// `{ a, b }`
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    /// Its items.
    pub items: Vec<Rval>,
    /// Its place, including braces.
    pub span: Span,
}

/// `name(…)`
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The name: a bare word, or a bare variable with its sigil and brackets.
    pub name: Name,
    /// Its arguments, which are never lists.
    pub arguments: Vec<Rval>,
    /// From the name to the closing bracket.
    pub span: Span,
}
