//! What the agent knows: kinds of bundles, promise types with their
//! attributes, bodies, functions. Read from `syntax.txt`.

mod lazy;
mod range;
mod value;

pub use lazy::Lazy;
pub use range::Range;
pub use value::{Fault, Mismatch};

use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The language of CFEngine 3.21.0.
pub fn syntax() -> &'static Syntax {
    static SYNTAX: LazyLock<Syntax> = LazyLock::new(|| Syntax::read(include_str!("syntax.txt")));
    &SYNTAX
}

/// The type of an attribute's or argument's value, or of a function's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A text.
    String,
    /// A whole number.
    Int,
    /// A number.
    Real,
    /// One of a menu.
    Option,
    /// A class expression.
    Context,
    /// Two whole numbers.
    IntRange,
    /// Two numbers.
    RealRange,
    /// A list of texts.
    StringList,
    /// A list of whole numbers.
    IntList,
    /// A list of numbers.
    RealList,
    /// A list of items of a menu.
    OptionList,
    /// A list of class expressions.
    ContextList,
    /// A data container.
    Data,
    /// The name of a body.
    Body,
    /// The name of a bundle.
    Bundle,
    /// The agent still reads such an attribute, but leaves it alone.
    Removed,
}

impl Type {
    fn read(word: &str) -> Self {
        match word {
            "string" => Self::String,
            "int" => Self::Int,
            "real" => Self::Real,
            "option" => Self::Option,
            "context" => Self::Context,
            "irange" => Self::IntRange,
            "rrange" => Self::RealRange,
            "slist" => Self::StringList,
            "ilist" => Self::IntList,
            "rlist" => Self::RealList,
            "olist" => Self::OptionList,
            "clist" => Self::ContextList,
            "data" => Self::Data,
            "body" => Self::Body,
            "bundle" => Self::Bundle,
            _ => Self::Removed,
        }
    }

    /// Whether it is one of the lists.
    pub fn is_list(self) -> bool {
        self.item().is_some()
    }

    /// The type of a list's items.
    pub fn item(self) -> Option<Self> {
        Some(match self {
            Self::StringList => Self::String,
            Self::IntList => Self::Int,
            Self::RealList => Self::Real,
            Self::OptionList => Self::Option,
            Self::ContextList => Self::Context,
            _ => return None,
        })
    }

    /// As the language calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Int => "int",
            Self::Real => "real",
            Self::Option => "option",
            Self::Context => "context",
            Self::IntRange => "irange",
            Self::RealRange => "rrange",
            Self::StringList => "slist",
            Self::IntList => "ilist",
            Self::RealList => "rlist",
            Self::OptionList => "olist",
            Self::ContextList => "clist",
            Self::Data => "data",
            Self::Body => "body",
            Self::Bundle => "bundle",
            Self::Removed => "removed",
        }
    }
}

/// A type and what of it is allowed.
#[derive(Debug)]
pub struct Constraint {
    /// The type.
    pub kind: Type,
    /// The values allowed.
    pub range: Range,
    /// As the agent writes them.
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

/// Something by name.
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
    /// The kind of bundle that it stands in; `*` for any.
    pub component: &'static str,
    /// Its own attributes, without those that all promises have.
    pub attributes: Lazy<Attributes>,
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// What it gives.
    pub returns: Type,
    /// Its parameters; what a variadic one checks of its arguments.
    pub parameters: Lazy<Vec<Constraint>>,
    /// Takes any number of arguments, but for what the next three say.
    pub variadic: bool,
    /// The least number of arguments of a variadic one.
    pub least: usize,
    /// The greatest number of arguments of a variadic one.
    pub most: usize,
    /// Takes an odd number of arguments.
    pub odd: bool,
    /// Takes lists and containers whole.
    pub collecting: bool,
    /// Its results are kept for the rest of a run.
    pub cached: bool,
}

/// All that the agent knows.
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

    /// Whether there are bundles of this kind.
    pub fn is_bundle(&self, component: &str) -> bool {
        self.bundles.contains(&component)
    }

    /// Whether the agent knows this promise type itself, in some bundle.
    pub fn is_built_in(&self, kind: &str) -> bool {
        kind == "*" || self.promises.contains_key(kind) || self.removed_promises.contains(&kind)
    }

    /// Whether the agent reads such promises, but leaves them alone.
    pub fn is_removed_promise(&self, kind: &str) -> bool {
        self.removed_promises.contains(&kind)
    }

    /// A promise type in a kind of bundle.
    pub fn promise_type(&self, component: &str, kind: &str) -> Option<&PromiseType> {
        let found = self.promises.get(kind)?;
        (found.component == "*" || found.component == component).then_some(found)
    }

    /// What an attribute of every promise may be.
    pub fn common(&self, attribute: &str) -> Option<&Constraint> {
        self.common.get(attribute)
    }

    /// Whether the agent reads such bodies, but leaves them alone.
    pub fn is_removed_body(&self, kind: &str) -> bool {
        self.removed_bodies.contains(&kind)
    }

    /// The attributes of a kind of body, control bodies included. Other kinds
    /// are custom ones and may have any.
    pub fn body(&self, kind: &str) -> Option<&Attributes> {
        let body = self.bodies.get(kind);
        body.or_else(|| self.controls.get(kind)).map(|body| &**body)
    }

    /// The attributes of `body KIND control`.
    pub fn control(&self, kind: &str) -> Option<&Attributes> {
        self.controls.get(kind).map(|control| &**control)
    }

    /// An attribute in the first kind of body that has it, as the agent looks
    /// for what a body's value may be.
    pub fn body_attribute(&self, name: &str) -> Option<&Constraint> {
        self.bodies.values().find_map(|body| body.get(name))
    }

    /// What an attribute of a promise is judged by once its values were expanded
    /// and bodies put in place, where the agent knows the promise type itself.
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
        assert_eq!(syntax.bodies.len() + syntax.controls.len(), 41);
        assert_eq!(syntax.common.len(), 10);
        let files = syntax.promise_type("agent", "files").expect("files");
        assert_eq!(files.attributes["perms"].kind, Type::Body);
        assert!(syntax.promise_type("edit_line", "files").is_none());
        assert!(syntax.promise_type("edit_line", "vars").is_some());
        assert!(syntax.functions["and"].variadic);
    }

    /// The agent takes the first body in an order of its own, which makes no
    /// difference as long as all agree.
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
