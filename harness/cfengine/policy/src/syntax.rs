//! The tables of the language: types of bundles, promise types with their attributes, bodies,
//! functions. Parsed from `syntax.txt`.

mod kind;
mod lazy;
mod range;
mod value;

pub use kind::Type;
pub use lazy::Lazy;
pub use range::Range;
pub use value::{Fault, Mismatch};

use cfengine_protocol::release::Release;
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The language of CFEngine, as 3.21.0 has it, with what later releases added.
pub fn syntax() -> &'static Syntax {
    static SYNTAX: LazyLock<Syntax> = LazyLock::new(|| Syntax::read(include_str!("syntax.txt")));
    &SYNTAX
}

/// Does a release know an attribute of a built-in promise type? The tables have the attributes of all releases.
pub(crate) fn has_attribute(kind: &str, attribute: &str, release: &Release) -> bool {
    !matches!((kind, attribute), ("classes", "cancel" | "timer_policy")) || release.has_cancel
}

/// Does a release know a setting of a `control` body?
pub(crate) fn has_setting(attribute: &str, release: &Release) -> bool {
    attribute != "evaluation_order" || release.has_evaluation_order
}

/// Does a release know a kind of bodies? To others, it is a kind of the author's.
pub(crate) fn has_body(kind: &str, release: &Release) -> bool {
    kind != "fsattrs" || release.has_fsattrs
}

/// A type and its allowed values.
#[derive(Debug)]
pub struct Constraint {
    /// The type.
    pub kind: Type,
    /// The allowed values.
    pub range: Range,
    /// The allowed values in cf-agent's notation.
    pub written: &'static str,
}

impl Constraint {
    fn read(words: &'static str) -> Self {
        let (kind, written) = words.split_once(' ').unwrap_or((words, ""));
        let kind = Type::read(kind);
        Self {
            kind,
            range: Range::read(kind, written),
            written,
        }
    }
}

/// A table by name.
type Names<T> = HashMap<&'static str, T, RandomState>;

/// Attributes by name.
pub type Attributes = Names<Constraint>;

fn attributes(items: &'static str) -> Attributes {
    lazy::items(items)
        .map(|item| {
            let (name, constraint) = item.split_once(' ').unwrap_or((item, ""));
            (name, Constraint::read(constraint))
        })
        .collect()
}

fn parameters(items: &'static str) -> Vec<Constraint> {
    lazy::items(items).map(Constraint::read).collect()
}

/// A promise type.
#[derive(Debug)]
pub struct PromiseType {
    /// The type of bundle that has it; `*` for any.
    pub component: &'static str,
    /// Its own attributes, without those that all promises have.
    pub attributes: Lazy<Attributes>,
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// The type of its result.
    pub returns: Type,
    /// Its parameters; for a variadic function, the constraints that apply to its arguments.
    pub parameters: Lazy<Vec<Constraint>>,
    /// Whether it takes any number of arguments, within the next three limits.
    pub variadic: bool,
    /// The fewest arguments of a variadic function.
    pub least: usize,
    /// The most arguments of a variadic function.
    pub most: usize,
    /// Whether the number of its arguments must be odd.
    pub odd: bool,
    /// Whether lists and containers among its arguments stay whole.
    pub collecting: bool,
    /// Whether its results are cached for the rest of a run.
    pub cached: bool,
}

/// The tables of the language.
#[derive(Debug)]
pub struct Syntax {
    bundles: Vec<&'static str>,
    common: Lazy<Attributes>,
    promises: Names<PromiseType>,
    removed_promises: Vec<&'static str>,
    removed_bodies: Vec<&'static str>,
    bodies: Names<Lazy<Attributes>>,
    controls: Names<Lazy<Attributes>>,
    functions: Names<Function>,
}

impl Syntax {
    fn read(text: &'static str) -> Self {
        let mut syntax = Self {
            bundles: Vec::new(),
            common: Lazy::new(attributes, ""),
            promises: Names::default(),
            removed_promises: Vec::new(),
            removed_bodies: Vec::new(),
            bodies: Names::default(),
            controls: Names::default(),
            functions: Names::default(),
        };
        for (header, items) in lazy::blocks(text) {
            syntax.block(header, items);
        }
        syntax
    }

    fn block(&mut self, header: &'static str, items: &'static str) {
        let mut words = header.split(' ');
        let keyword = words.next().unwrap_or_default();
        let mut next = || words.next().unwrap_or_default();
        match keyword {
            "bundles" => self.bundles = words.collect(),
            "common" => self.common = Lazy::new(attributes, items),
            "removed-promises" => self.removed_promises = words.collect(),
            "removed-bodies" => self.removed_bodies = words.collect(),
            "promises" => {
                let component = next();
                let attributes = Lazy::new(attributes, items);
                let promise_type = PromiseType {
                    component,
                    attributes,
                };
                self.promises.insert(next(), promise_type);
            }
            "body" => _ = self.bodies.insert(next(), Lazy::new(attributes, items)),
            "control" => _ = self.controls.insert(next(), Lazy::new(attributes, items)),
            "function" => {
                let name = next();
                let returns = Type::read(next());
                let flags: Vec<&str> = words.collect();
                let number = |name: &str| {
                    let mut flags = flags.iter();
                    flags.find_map(|flag| flag.strip_prefix(name)?.parse().ok())
                };
                let function = Function {
                    returns,
                    parameters: Lazy::new(parameters, items),
                    variadic: flags.contains(&"variadic"),
                    least: number("least:").unwrap_or(0),
                    most: number("most:").unwrap_or(usize::MAX),
                    odd: flags.contains(&"odd"),
                    collecting: flags.contains(&"collecting"),
                    cached: flags.contains(&"cached"),
                };
                self.functions.insert(name, function);
            }
            _ => {}
        }
    }

    /// Whether this type of bundle exists.
    pub fn is_bundle(&self, component: &str) -> bool {
        self.bundles.contains(&component)
    }

    /// Whether a promise type is built in, for any type of bundle.
    pub fn is_built_in(&self, kind: &str) -> bool {
        kind == "*" || self.promises.contains_key(kind) || self.removed_promises.contains(&kind)
    }

    /// Whether cf-agent parses promises of this type, but ignores them.
    pub fn is_removed_promise(&self, kind: &str) -> bool {
        self.removed_promises.contains(&kind)
    }

    /// A promise type in a type of bundle.
    pub fn promise_type(&self, component: &str, kind: &str) -> Option<&PromiseType> {
        let found = self.promises.get(kind)?;
        (found.component == "*" || found.component == component).then_some(found)
    }

    /// The constraint of an attribute that all promises have.
    pub fn common(&self, attribute: &str) -> Option<&Constraint> {
        self.common.get(attribute)
    }

    /// Whether cf-agent parses bodies of this type, but ignores them.
    pub fn is_removed_body(&self, kind: &str) -> bool {
        self.removed_bodies.contains(&kind)
    }

    /// The attributes of a type of body, including control bodies. Other types are custom, and may
    /// have any attributes.
    pub fn body(&self, kind: &str) -> Option<&Attributes> {
        let body = self.bodies.get(kind);
        body.or_else(|| self.controls.get(kind)).map(|body| &**body)
    }

    /// The attributes of `body KIND control`.
    pub fn control(&self, kind: &str) -> Option<&Attributes> {
        self.controls.get(kind).map(|control| &**control)
    }

    /// The constraint of an attribute in the first type of body that has it. cf-agent uses this
    /// lookup for the values in bodies.
    pub fn body_attribute(&self, name: &str) -> Option<&Constraint> {
        self.bodies.values().find_map(|body| body.get(name))
    }

    /// The constraints for an attribute of a promise of a built-in type, after its values are
    /// expanded and its bodies are in place.
    pub fn of_expanded(&self, kind: &str, name: &str) -> impl Iterator<Item = &Constraint> {
        let classes = self.promises.get("classes");
        let classes = classes.and_then(|classes| classes.attributes.get(name));
        let own = self.promises.get(kind).map(|found| &found.attributes);
        let own = own.and_then(|own| {
            let bodies = own.iter().filter(|(_, one)| one.kind == Type::Body);
            let mut bodies = bodies.filter_map(|(body, _)| self.bodies.get(body));
            own.get(name)
                .or_else(|| bodies.find_map(|body| body.get(name)))
        });
        let common = self.common.get(name);
        let common = common.filter(|common| common.kind != Type::Body);
        classes.into_iter().chain(own.or(common))
    }

    /// A function.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.get(name)
    }

    /// The names of all functions, sorted.
    pub fn functions(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.functions.keys().copied().collect();
        names.sort_unstable();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_table_is_read() {
        let syntax = syntax();
        assert_eq!(syntax.promises.len(), 30);
        assert_eq!(syntax.functions.len(), 186);
        assert_eq!(syntax.bodies.len() + syntax.controls.len(), 42);
        assert_eq!(syntax.common.len(), 10);
        let files = syntax.promise_type("agent", "files").expect("files");
        assert_eq!(files.attributes["perms"].kind, Type::Body);
        assert!(syntax.promise_type("edit_line", "files").is_none());
        assert!(syntax.promise_type("edit_line", "vars").is_some());
        assert!(syntax.functions["and"].variadic);
    }

    /// cf-agent uses the first body in its own order. The order does not matter as long as all
    /// bodies agree.
    #[test]
    fn bodies_agree_on_attributes_of_one_name() {
        let mut seen: HashMap<&str, String> = HashMap::new();
        for (name, constraint) in syntax().bodies.values().flat_map(|body| body.iter()) {
            let shown = format!("{constraint:?}");
            let first = seen.entry(name).or_insert_with(|| shown.clone());
            assert_eq!(*first, shown, "{name}");
        }
    }
}
