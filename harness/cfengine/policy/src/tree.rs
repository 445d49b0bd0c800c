//! The syntax tree: a policy as it is written, every node with its place.
//!
//! Strings stand here with their escapes taken out and their variables
//! (`$(…)`, `${…}`, `@(…)`) untouched. Nothing is merged or reordered: two
//! sections of one kind in a bundle stay two, an attribute given twice stays
//! twice. See [`crate::text`] for bytes that are not UTF-8.

use crate::class::{ClassError, Expression};
use crate::source::Span;
use std::collections::HashMap;
use std::rc::Rc;

/// All blocks of a file, or of several, in order of appearance by kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    /// `bundle COMPONENT NAME …`
    pub bundles: Vec<Bundle>,
    /// `body KIND NAME …`, control bodies among them.
    pub bodies: Vec<Body>,
    /// `promise agent NAME …`
    pub promise_blocks: Vec<Body>,
}

impl Policy {
    /// Takes in the blocks of another policy behind its own.
    pub fn merge(&mut self, other: Policy) {
        self.bundles.extend(other.bundles);
        self.bodies.extend(other.bodies);
        self.promise_blocks.extend(other.promise_blocks);
    }

    /// The first body of a kind and name, in any namespace:
    /// `control("common")` finds `body common control`.
    pub fn control(&self, component: &str) -> Option<&Body> {
        self.bodies
            .iter()
            .find(|body| &*body.kind.text == component && &*body.name.text == "control")
    }
}

/// A word of the policy: an identifier, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The word, with its namespace if it is written with one.
    pub text: Rc<str>,
    /// Its place.
    pub span: Span,
}

/// A text of the policy: a string or a bare variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The string's value, variables untouched.
    pub text: Rc<str>,
    /// Its place, quotes included.
    pub span: Span,
}

/// `bundle agent main(a, b) { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// The namespace in force where it stands: `default`, if none was set.
    pub namespace: Rc<str>,
    /// Which component it is for: `agent`, `common`, `edit_line`, ….
    pub component: Name,
    /// Its name, without the namespace in force.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Name>,
    /// Its sections, as written.
    pub sections: Vec<Section>,
    /// From the keyword to the closing brace.
    pub span: Span,
}

impl Bundle {
    /// Its sections by kind, kinds in order of first appearance.
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

    /// The promises of a kind, over all its sections, top down, each with
    /// its guard.
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
    /// Its promises, top down, each with its guard.
    pub fn promises(&self) -> impl Iterator<Item = (Option<&Guard>, &Promise)> {
        self.contexts.iter().flat_map(|context| {
            let guard = context.guard.as_ref();
            context.items.iter().map(move |promise| (guard, promise))
        })
    }
}

/// What stands under one class guard. A guard with nothing below it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Context<T> {
    /// The guard; none before the first one.
    pub guard: Option<Guard>,
    /// Promises, or attributes in a body.
    pub items: Vec<T>,
}

/// `linux.!debian::` or `"$(class)"::`.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    /// The expression as written, without quotes and colons.
    pub text: Rc<str>,
    /// In quotes: the text's variables are expanded before it is read.
    pub quoted: bool,
    /// The text without its blanks, read before any variable is expanded.
    /// That of a guard without quotes is what the agent evaluates; it can
    /// still be none (`a .::`), since the agent reads no further than to the
    /// blank when it takes in a policy.
    pub expression: Result<Expression, ClassError>,
    /// Its place, colons included.
    pub span: Span,
}

/// `"promiser" -> promisee attribute => value, …;`
#[derive(Clone, Debug, PartialEq)]
pub struct Promise {
    /// The promiser.
    pub promiser: Text,
    /// What stands behind `->`.
    pub promisee: Option<Rval>,
    /// Its attributes, as written.
    pub attributes: Vec<Attribute>,
    /// From the promiser to the semicolon.
    pub span: Span,
    /// The line that the agent gives for it (`$(this.promise_linenumber)`):
    /// that of the promiser's end, where lines that an `@if` leaves out don't
    /// count and those that end in CR LF count twice.
    pub agent_line: u32,
}

impl Promise {
    /// The value of an attribute; of one given twice, the last, as the agent
    /// takes it.
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
    /// The namespace in force where it stands: `default`, if none was set.
    pub namespace: Rc<str>,
    /// The kind: `perms`, `classes`, `common` (with the name `control`), …;
    /// of a promise block, the component: `agent`.
    pub kind: Name,
    /// Its name; of a promise block, the promise type.
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
    /// Its attributes, top down, each with its guard.
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

/// The right-hand side of an attribute, an item of a list, an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Rval {
    /// `"…"`, `'…'` or `` `…` ``
    String(Text),
    /// A bare word: the name of a body or bundle, or a plain text.
    Symbol(Name),
    /// A bare variable, `$(x)` or `@(x)`, with its sigil and brackets.
    Variable(Text),
    /// `{ a, b }`; its items are no lists themselves.
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

    /// The text of what the agent takes as a scalar: a string, a bare word or
    /// a bare variable.
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
    /// Braces included.
    pub span: Span,
}

/// `name(…)`
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What is called: a bare word, or a bare variable with sigil and
    /// brackets.
    pub name: Name,
    /// Its arguments; lists don't stand here.
    pub arguments: Vec<Rval>,
    /// From the name to the closing bracket.
    pub span: Span,
}
