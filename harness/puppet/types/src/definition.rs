//! Definitions of resource types and schemas of transports, as authors wrote them.
//!
//! [`Definition::of_type`] and [`Definition::of_transport`] read as much as is there, and list
//! every fault as a [`Problem`]. What the real library does with the same definition is said by
//! [`as_library`] and [`as_library_transport`].

mod connection;
mod library;
mod patterns;
mod problem;
mod read;
mod relation;
mod row;
mod secret;
mod transport;

pub use library::{Library, Raised, Registration, as_library, as_library_transport};
pub use problem::{Part, Problem};
pub use read::{FEATURES, RESERVED, TRIGGER};

use crate::titles::TitlePattern;
use crate::types::Type;
use crate::value::Value;

/// What a definition defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Subject {
    /// A resource type, for `register_type`.
    #[default]
    Type,
    /// A transport, for `register_transport`.
    Transport,
}

/// A definition, as far as it can be read, with all its faults.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Definition {
    /// What it defines.
    pub subject: Subject,
    /// Its name. `None` if it has none that is text.
    pub name: Option<String>,
    /// Its description.
    pub desc: Option<String>,
    /// Its attributes, or the keys of `connection_info`, in order.
    pub attributes: Vec<Attribute>,
    /// What the provider can do.
    pub features: Vec<String>,
    /// How titles give namevars. `None` if there are none.
    pub title_patterns: Option<Vec<TitlePattern>>,
    /// The automatic relationships.
    pub relations: Vec<AutoRelation>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// An attribute of a type, or a key of a transport's `connection_info`.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// The text of its type.
    pub type_text: Option<String>,
    /// Its type, if the text is one.
    pub data_type: Option<Type>,
    /// Its description.
    pub desc: Option<String>,
    /// What it is for.
    pub behaviour: Behaviour,
    /// The value that is used if there is none.
    pub default: Option<Value>,
    /// Is it marked as sensitive?
    pub sensitive: bool,
}

/// What an attribute is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Behaviour {
    /// Read and set.
    #[default]
    Property,
    /// Part of the resource's identity.
    Namevar,
    /// Only read.
    ReadOnly,
    /// Only set when the resource is created.
    InitOnly,
    /// Tells the provider how to work.
    Parameter,
}

impl Behaviour {
    /// Its name in a definition.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Property => None,
            Self::Namevar => Some("namevar"),
            Self::ReadOnly => Some("read_only"),
            Self::InitOnly => Some("init_only"),
            Self::Parameter => Some("parameter"),
        }
    }

    fn of(name: &str) -> Option<Self> {
        const ALL: [Behaviour; 4] = [
            Behaviour::Namevar,
            Behaviour::ReadOnly,
            Behaviour::InitOnly,
            Behaviour::Parameter,
        ];
        ALL.into_iter().find(|one| one.name() == Some(name))
    }
}

/// One of the four keys for automatic relationships.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Auto {
    /// `autorequire`
    Require,
    /// `autobefore`
    Before,
    /// `autosubscribe`
    Subscribe,
    /// `autonotify`
    Notify,
}

impl Auto {
    /// All four, in the order in which the library reads them.
    pub const ALL: [Self; 4] = [Self::Require, Self::Before, Self::Subscribe, Self::Notify];

    /// The key in a definition.
    pub fn key(self) -> &'static str {
        match self {
            Self::Require => "autorequire",
            Self::Before => "autobefore",
            Self::Subscribe => "autosubscribe",
            Self::Notify => "autonotify",
        }
    }
}

/// Resources to which a resource is related by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct AutoRelation {
    /// How.
    pub auto: Auto,
    /// The type of the others.
    pub type_name: String,
    /// Their titles.
    pub titles: Vec<RelationTitle>,
}

/// The title of a related resource.
#[derive(Debug, Clone, PartialEq)]
pub enum RelationTitle {
    /// A constant.
    Constant(String),
    /// The value of an attribute, written `$name`.
    Attribute(String),
}

impl Definition {
    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|one| one.name == name)
    }

    /// The names of the namevars, in order.
    pub fn namevars(&self) -> Vec<&str> {
        let namevar = |one: &&Attribute| one.behaviour == Behaviour::Namevar;
        let all = self.attributes.iter().filter(namevar);
        all.map(|one| one.name.as_str()).collect()
    }

    /// Does a type of its attributes name an alias of a module?
    pub fn has_alias(&self) -> bool {
        let mut types = self
            .attributes
            .iter()
            .filter_map(|one| one.data_type.as_ref());
        types.any(Type::has_alias)
    }

    /// Can its resources be present or absent?
    pub fn is_ensurable(&self) -> bool {
        self.attribute("ensure").is_some()
    }

    /// Does the provider declare the feature?
    pub fn has_feature(&self, name: &str) -> bool {
        self.features.iter().any(|one| one == name)
    }

    /// The attributes that are compared with the target state.
    pub fn properties(&self) -> impl Iterator<Item = &Attribute> {
        let property = |one: &&Attribute| one.behaviour == Behaviour::Property;
        self.attributes.iter().filter(property)
    }
}
