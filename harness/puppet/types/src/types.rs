//! Puppet's data types.

mod eq;
mod fold;
mod print;
mod range;
mod seek;

pub use crate::unfollowed::Unfollowed;
pub use range::{FloatRange, Range};

use crate::regex::Pattern;
use crate::value::Value;
use std::sync::Arc;

/// A data type, as the parser reads it or as it is inferred from a value.
///
/// Two types are equal if Puppet takes them for equal: the order of a variant's members and of
/// patterns does not matter.
#[derive(Debug, Clone)]
pub enum Type {
    /// `Any`
    Any,
    /// `Undef`: `nil` and `:undef`.
    Undef,
    /// `Default`: `:default`.
    Default,
    /// The element type of empty collections. It cannot be written.
    Unit,
    /// `NotUndef`, `NotUndef[T]`
    NotUndef(Option<Box<Type>>),
    /// `Optional`, `Optional[T]`
    Optional(Option<Box<Type>>),
    /// `Scalar`
    Scalar,
    /// `ScalarData`
    ScalarData,
    /// `Numeric`
    Numeric,
    /// `Integer`, `Integer[from, to]`
    Integer(Range),
    /// `Float`, `Float[from, to]`
    Float(FloatRange),
    /// `Boolean`, `Boolean[true]`, `Boolean[false]`
    Boolean(Option<bool>),
    /// `String`, `String[from, to]`
    String(Text),
    /// `Enum`, `Enum[a, b]`
    Enum {
        /// The members, sorted; empty for a bare `Enum`.
        values: Vec<String>,
        /// Does case not matter?
        insensitive: bool,
    },
    /// `Pattern`, `Pattern[/a/, /b/]`
    Pattern(Vec<Pattern>),
    /// `Regexp`, `Regexp[/a/]`
    Regexp(Option<Pattern>),
    /// `Collection`, `Collection[from, to]`
    Collection(Option<Range>),
    /// `Array`, `Array[T, from, to]`
    Array {
        /// The type of elements; `Any` for a bare `Array`.
        element: Box<Type>,
        /// The number of elements, if it is limited.
        size: Option<Range>,
    },
    /// `Hash`, `Hash[K, V, from, to]`
    Hash {
        /// The type of keys.
        key: Box<Type>,
        /// The type of values.
        value: Box<Type>,
        /// The number of pairs, if it is limited.
        size: Option<Range>,
    },
    /// `Struct`, `Struct[{a => T}]`
    Struct(Vec<Member>),
    /// `Tuple`, `Tuple[A, B, from, to]`
    Tuple {
        /// The types of elements; the last one repeats.
        types: Vec<Type>,
        /// The number of elements, if it is given.
        size: Option<Range>,
    },
    /// `Variant`, `Variant[A, B]`
    Variant(Vec<Type>),
    /// `Iterable`, `Iterable[T]`
    Iterable(Option<Box<Type>>),
    /// `Iterator`, `Iterator[T]`: no value of a provider is one.
    Iterator(Option<Box<Type>>),
    /// `Sensitive`, `Sensitive[T]`: the type inside is always generalized, and `Any` if there is
    /// none.
    Sensitive(Box<Type>),
    /// `Type`, `Type[T]`
    Type(Option<Box<Type>>),
    /// `Runtime`, `Runtime[ruby, 'Symbol']`: a class of Ruby that Puppet has no type for.
    Runtime {
        /// The runtime, usually `ruby`.
        runtime: Option<String>,
        /// The name of the class.
        class: Option<String>,
    },
    /// `CatalogEntry`
    CatalogEntry,
    /// `Class`, `Class[name]`
    Class(Option<String>),
    /// `Resource`, `Resource[type]`, `Resource[type, title]`
    Resource {
        /// The type's name, capitalized.
        name: Option<String>,
        /// The title.
        title: Option<String>,
    },
    /// A type of Puppet's own objects, see [`Rare`].
    Rare(Rare),
    /// Another name of a type, such as `Data`.
    Alias(Alias),
    /// An alias that cannot be followed here. It may stand for any type.
    Unknown(Unknown),
    /// A name that is not known here, with its parameters, as it was written. Nothing matches it.
    Reference(String),
}

/// What a string may be.
#[derive(Debug, Clone, PartialEq)]
pub enum Text {
    /// Any string.
    Any,
    /// A string of so many characters.
    Size(Range),
    /// One string. It occurs as the key of a struct, as `Optional['a']`, and when inferred.
    Value(String),
}

/// A key of a struct and the type of its value.
#[derive(Debug, Clone)]
pub struct Member {
    /// The key.
    pub name: String,
    /// May the key be missing?
    pub optional: bool,
    /// The type of the value.
    pub value: Type,
}

/// Types whose instances are objects of Puppet's own classes, which plain values never are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `Binary`
    Binary,
    /// `Timestamp`
    Timestamp,
    /// `Timespan`
    Timespan,
    /// `SemVer`
    SemVer,
    /// `SemVerRange`
    SemVerRange,
    /// `URI`
    Uri,
    /// `Callable`
    Callable,
    /// `Init`
    Init,
    /// `Object`
    Object,
    /// `TypeSet`
    TypeSet,
    /// `TypeAlias`, and a definition `type X = …`.
    TypeAlias,
}

/// One of these types with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Rare {
    /// Which one.
    pub kind: Kind,
    /// The parameters; empty for the bare type.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a type, as it was written.
#[derive(Debug, Clone, PartialEq)]
pub enum Parameter {
    /// A type.
    Type(Type),
    /// A literal; a regular expression too.
    Value(Value),
    /// A list.
    List(Vec<Parameter>),
    /// A hash.
    Hash(Vec<(Parameter, Parameter)>),
}

/// The aliases that Puppet brings along, and those of modules.
#[derive(Debug, Clone, PartialEq)]
pub enum Alias {
    /// `Data`
    Data,
    /// `RichData`
    RichData,
    /// `RichDataKey`
    RichDataKey,
    /// `Puppet::LookupKey`
    LookupKey,
    /// `Puppet::LookupValue`
    LookupValue,
    /// One that a module defines.
    Module(Arc<Named>),
}

/// An alias that a module defines in its `types` folder.
#[derive(Debug)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// What it stands for, in its simplest form.
    pub target: Type,
}

impl PartialEq for Named {
    /// In a run, a name has one meaning.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// An alias that cannot be followed here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// Why not.
    pub why: Unfollowed,
}

impl Type {
    /// `Integer` without limits.
    pub const INTEGER: Self = Self::Integer(Range::ALL);
    /// `Float` without limits.
    pub const FLOAT: Self = Self::Float(FloatRange::ALL);
    /// `String` of any size.
    pub const STRING: Self = Self::String(Text::Any);

    /// `Array[element, size]`. An array that must be empty has no element type.
    pub fn array(element: Type, size: Option<Range>) -> Self {
        let element = if size.as_ref().is_some_and(Range::is_zero) {
            Self::Unit
        } else {
            element
        };
        let size = size.map(Range::into_size);
        Self::Array {
            element: Box::new(element),
            size,
        }
    }

    /// `Hash[key, value, size]`
    pub fn hash(key: Type, value: Type, size: Option<Range>) -> Self {
        let (key, value) = if size.as_ref().is_some_and(Range::is_zero) {
            (Self::Unit, Self::Unit)
        } else {
            (key, value)
        };
        let size = size.map(Range::into_size);
        Self::Hash {
            key: Box::new(key),
            value: Box::new(value),
            size,
        }
    }

    /// `Tuple[types…, size]`
    pub fn tuple(types: Vec<Type>, size: Option<Range>) -> Self {
        let size = size.map(Range::into_size);
        Self::Tuple { types, size }
    }

    /// `Enum[values…]`
    pub fn enumeration(mut values: Vec<String>, insensitive: bool) -> Self {
        // Ruby sorts by bytes, as this does.
        values.sort_unstable();
        values.dedup();
        Self::Enum {
            values,
            insensitive,
        }
    }

    /// `Variant[types…]`: variants among them are flattened, and one type alone stands for itself.
    pub fn variant(types: Vec<Type>) -> Self {
        let mut flat: Vec<Type> = Vec::with_capacity(types.len());
        for one in types {
            let members = match one {
                Self::Variant(members) => members,
                one => vec![one],
            };
            for member in members {
                if !flat.contains(&member) {
                    flat.push(member);
                }
            }
        }
        match flat.len() {
            1 => flat.swap_remove(0),
            _ => Self::Variant(flat),
        }
    }

    /// `Sensitive[inner]`, which generalizes its parameter.
    pub fn sensitive(inner: Option<&Type>) -> Self {
        Self::Sensitive(Box::new(inner.map_or(Self::Any, Type::generalize)))
    }

    /// `Optional[inner]`
    pub fn optional(inner: Type) -> Self {
        Self::Optional(Some(Box::new(inner)))
    }

    /// `NotUndef[inner]`; `NotUndef[Any]` is `NotUndef`.
    pub fn not_undef(inner: Type) -> Self {
        match inner {
            Self::Any => Self::NotUndef(None),
            inner => Self::NotUndef(Some(Box::new(inner))),
        }
    }

    /// One of Puppet's own object types, without parameters.
    pub fn bare(kind: Kind) -> Self {
        Self::Rare(Rare {
            kind,
            parameters: Vec::new(),
        })
    }

    /// A class of Ruby.
    pub fn ruby(class: impl Into<String>) -> Self {
        Self::Runtime {
            runtime: Some("ruby".to_owned()),
            class: Some(class.into()),
        }
    }

    /// The name of the type without parameters.
    pub fn simple_name(&self) -> &str {
        match self {
            Self::Any => "Any",
            Self::Undef => "Undef",
            Self::Default => "Default",
            Self::Unit => "Unit",
            Self::NotUndef(_) => "NotUndef",
            Self::Optional(_) => "Optional",
            Self::Scalar => "Scalar",
            Self::ScalarData => "ScalarData",
            Self::Numeric => "Numeric",
            Self::Integer(_) => "Integer",
            Self::Float(_) => "Float",
            Self::Boolean(_) => "Boolean",
            Self::String(_) => "String",
            Self::Enum { .. } => "Enum",
            Self::Pattern(_) => "Pattern",
            Self::Regexp(_) => "Regexp",
            Self::Collection(_) => "Collection",
            Self::Array { .. } => "Array",
            Self::Hash { .. } => "Hash",
            Self::Struct(_) => "Struct",
            Self::Tuple { .. } => "Tuple",
            Self::Variant(_) => "Variant",
            Self::Iterable(_) => "Iterable",
            Self::Iterator(_) => "Iterator",
            Self::Sensitive(_) => "Sensitive",
            Self::Type(_) => "Type",
            Self::Runtime { .. } => "Runtime",
            Self::CatalogEntry => "CatalogEntry",
            Self::Class(_) => "Class",
            Self::Resource { .. } => "Resource",
            Self::Rare(rare) => rare.kind.name(),
            Self::Alias(alias) => alias.name(),
            Self::Unknown(own) => &own.name,
            Self::Reference(_) => "TypeReference",
        }
    }

    /// Is it literally `Optional`, with or without a parameter? Only then the library lets an
    /// attribute be missing; a `Variant[Undef, …]` does not count.
    pub fn is_literally_optional(&self) -> bool {
        matches!(self, Self::Optional(_))
    }
}

impl Alias {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Data => "Data",
            Self::RichData => "RichData",
            Self::RichDataKey => "RichDataKey",
            Self::LookupKey => "Puppet::LookupKey",
            Self::LookupValue => "Puppet::LookupValue",
            Self::Module(own) => &own.name,
        }
    }

    /// What it stands for.
    pub fn target(&self) -> Type {
        match self {
            Self::Data => Type::Variant(vec![
                Type::ScalarData,
                Type::Undef,
                Type::hash(Type::STRING, Type::Alias(self.clone()), None),
                Type::array(Type::Alias(self.clone()), None),
            ]),
            Self::RichDataKey => Type::Variant(vec![Type::STRING, Type::Numeric]),
            Self::RichData => Type::Variant(vec![
                Type::Scalar,
                Type::bare(Kind::SemVerRange),
                Type::bare(Kind::Binary),
                Type::sensitive(None),
                Type::Type(None),
                Type::bare(Kind::TypeSet),
                Type::bare(Kind::Uri),
                Type::bare(Kind::Object),
                Type::Undef,
                Type::Default,
                Type::hash(
                    Type::Alias(Self::RichDataKey),
                    Type::Alias(self.clone()),
                    None,
                ),
                Type::array(Type::Alias(self.clone()), None),
            ]),
            Self::LookupKey => Type::Alias(Self::RichDataKey),
            Self::LookupValue => Type::Alias(Self::RichData),
            Self::Module(own) => own.target.clone(),
        }
    }
}

impl Kind {
    /// The name of the type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Binary => "Binary",
            Self::Timestamp => "Timestamp",
            Self::Timespan => "Timespan",
            Self::SemVer => "SemVer",
            Self::SemVerRange => "SemVerRange",
            Self::Uri => "URI",
            Self::Callable => "Callable",
            Self::Init => "Init",
            Self::Object => "Object",
            Self::TypeSet => "TypeSet",
            Self::TypeAlias => "TypeAlias",
        }
    }

    /// Is an object of this class of Ruby of the type? The parameters, if there are any, may
    /// still refuse it.
    pub fn holds(self, class: &str) -> bool {
        match self {
            Self::Binary => class == "Puppet::Pops::Types::PBinaryType::Binary",
            Self::Timestamp => class == "Puppet::Pops::Time::Timestamp",
            Self::Timespan => class == "Puppet::Pops::Time::Timespan",
            Self::SemVer => class == "SemanticPuppet::Version",
            Self::SemVerRange => class.starts_with("SemanticPuppet::VersionRange"),
            Self::Uri => class.starts_with("URI::"),
            Self::Callable => class == "Proc",
            Self::Init | Self::Object | Self::TypeSet | Self::TypeAlias => false,
        }
    }
}
