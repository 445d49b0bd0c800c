//! What a manifest or a catalog declares.

use crate::reference::Reference;
use crate::source::Place;
use puppet_types::Value;

/// The resources to apply, in their order, and what contains them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalog {
    /// The resources.
    pub resources: Vec<Resource>,
    /// Stages, classes, and instances of defined types.
    pub containers: Vec<Container>,
    /// The version that the catalog names; manifests have none.
    pub version: Option<String>,
    /// The environment that the catalog names.
    pub environment: Option<String>,
}

/// A resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// The type's name in lower case: `package_key`, `foo::bar`.
    pub kind: String,
    /// The title.
    pub title: String,
    /// Attributes and metaparameters, in the order of Puppet's catalog. Puppet puts the attribute
    /// that names the resource first, and calls it by its own name where the manifest says `name`;
    /// only the type knows which one that is, so here it is where and what it was.
    pub parameters: Vec<(String, Parameter)>,
    /// The tags, in Puppet's order.
    pub tags: Vec<String>,
    /// Where it is declared.
    pub place: Option<Place>,
    /// What contains it, as paths in logs show it: `["Stage[main]", "Main"]`.
    pub path: Vec<String>,
    /// What contains it directly.
    pub container: Option<Reference>,
    /// Is it for other nodes?
    pub exported: bool,
    /// Is it not to be applied?
    pub is_virtual: bool,
}

/// A stage, a class, or an instance of a defined type. It changes nothing itself, but relations may
/// name it and so mean all that it contains.
#[derive(Debug, Clone, PartialEq)]
pub struct Container {
    /// `stage`, `class`, or the name of the defined type in lower case.
    pub kind: String,
    /// The title.
    pub title: String,
    /// As those of a resource.
    pub parameters: Vec<(String, Parameter)>,
    /// The tags.
    pub tags: Vec<String>,
    /// Where it is declared.
    pub place: Option<Place>,
    /// What contains it, as paths in logs show it.
    pub path: Vec<String>,
    /// What contains it directly.
    pub container: Option<Reference>,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Parameter {
    /// Any value. References within it are objects of the class `Puppet::Resource`.
    Value(Value),
    /// Resources: always for `require`, `before`, `notify` and `subscribe`.
    References(Vec<Reference>),
}

impl Resource {
    /// Its name.
    pub fn reference(&self) -> Reference {
        Reference::new(&self.kind, &self.title)
    }

    /// A parameter.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        find(&self.parameters, name)
    }
}

impl Container {
    /// Its name.
    pub fn reference(&self) -> Reference {
        Reference::new(&self.kind, &self.title)
    }

    /// A parameter.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        find(&self.parameters, name)
    }
}

fn find<'p>(all: &'p [(String, Parameter)], name: &str) -> Option<&'p Parameter> {
    let mut named = all.iter().filter(|(own, _)| own == name);
    named.next().map(|(_, value)| value)
}

/// The metaparameters that order resources.
pub(crate) const RELATIONS: [&str; 4] = ["require", "before", "notify", "subscribe"];

/// The metaparameters that all types have, in the order in which Puppet sets them.
pub const METAPARAMETERS: [&str; 11] = [
    "noop",
    "schedule",
    "audit",
    "loglevel",
    "alias",
    "tag",
    "require",
    "subscribe",
    "before",
    "notify",
    "stage",
];
