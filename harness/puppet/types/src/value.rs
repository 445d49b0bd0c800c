//! Values as Ruby code holds them, and how Ruby writes them.

mod inspect;
mod json;
mod quote;

pub use inspect::float_text;
pub(crate) use inspect::{regexp_text, slashes_escaped};
pub use json::{ValueError, ValueErrorKind};
pub use num_bigint::BigInt;
pub use quote::{double_quoted, puppet_quoted};

/// A value of a provider, a definition or a manifest.
///
/// `:undef` and `:default`, which Puppet uses for its words `undef` and `default`, are symbols.
#[derive(Debug, Clone)]
pub enum Value {
    /// `nil`
    Undef,
    /// `true` or `false`
    Bool(bool),
    /// An integer of any size.
    Integer(BigInt),
    /// A float; it may be infinite or no number.
    Float(f64),
    /// A string of valid UTF-8.
    String(String),
    /// A string that is not valid UTF-8, or a binary one with bytes beyond ASCII.
    Binary(Vec<u8>),
    /// A symbol, without its colon.
    Symbol(String),
    /// An array.
    Array(Vec<Value>),
    /// A hash, in its order. No key occurs twice.
    Hash(Vec<(Value, Value)>),
    /// A regular expression.
    Regexp {
        /// What stands between the slashes.
        source: String,
        /// A subset of `imx`, in this order.
        options: String,
    },
    /// A value that must not be shown.
    Sensitive(Box<Value>),
    /// A block of code; the text says where it is, as `file:line`.
    Proc(String),
    /// Any other object.
    Object {
        /// Its class.
        class: String,
        /// What `inspect` says of it.
        text: String,
    },
    /// The place where a structure contains itself.
    Cycle,
}

/// The class of wrapped sensitive values.
pub const SENSITIVE_CLASS: &str = "Puppet::Pops::Types::PSensitiveType::Sensitive";

impl Value {
    /// A string.
    pub fn string(text: impl Into<String>) -> Self {
        Self::String(text.into())
    }

    /// A symbol.
    pub fn symbol(name: impl Into<String>) -> Self {
        Self::Symbol(name.into())
    }

    /// An integer.
    pub fn integer(number: impl Into<BigInt>) -> Self {
        Self::Integer(number.into())
    }

    /// A hash whose keys are symbols.
    pub fn hash<'k>(members: impl IntoIterator<Item = (&'k str, Value)>) -> Self {
        let members = members.into_iter();
        Self::Hash(
            members
                .map(|(key, value)| (Self::symbol(key), value))
                .collect(),
        )
    }

    /// Is it `nil`?
    pub fn is_nil(&self) -> bool {
        matches!(self, Self::Undef)
    }

    /// Does Ruby take it for true? All but `nil` and `false` are.
    pub fn is_truthy(&self) -> bool {
        !matches!(self, Self::Undef | Self::Bool(false))
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The name of a symbol.
    pub fn as_symbol(&self) -> Option<&str> {
        match self {
            Self::Symbol(name) => Some(name),
            _ => None,
        }
    }

    /// The items of an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The pairs of a hash.
    pub fn as_hash(&self) -> Option<&[(Value, Value)]> {
        match self {
            Self::Hash(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// The value of a symbol key in a hash, as `hash[:name]`. `None` if it has no such key, or if
    /// it is no hash.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let mut pairs = self.as_hash()?.iter();
        pairs
            .find(|(key, _)| key.as_symbol() == Some(name))
            .map(|(_, value)| value)
    }

    /// The name of its class, as Ruby says it.
    pub fn class(&self) -> &str {
        match self {
            Self::Undef => "NilClass",
            Self::Bool(true) => "TrueClass",
            Self::Bool(false) => "FalseClass",
            Self::Integer(_) => "Integer",
            Self::Float(_) => "Float",
            Self::String(_) | Self::Binary(_) => "String",
            Self::Symbol(_) => "Symbol",
            Self::Array(_) | Self::Cycle => "Array",
            Self::Hash(_) => "Hash",
            Self::Regexp { .. } => "Regexp",
            Self::Sensitive(_) => SENSITIVE_CLASS,
            Self::Proc(_) => "Proc",
            Self::Object { class, .. } => class,
        }
    }
}

impl PartialEq for Value {
    /// As Ruby compares keys: the order of a hash does not matter, and 1 is not 1.0.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Undef, Self::Undef) | (Self::Cycle, Self::Cycle) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Integer(one), Self::Integer(other)) => one == other,
            (Self::Float(one), Self::Float(other)) => one == other,
            (Self::String(one), Self::String(other))
            | (Self::Symbol(one), Self::Symbol(other))
            | (Self::Proc(one), Self::Proc(other)) => one == other,
            (Self::Binary(one), Self::Binary(other)) => one == other,
            (Self::Array(one), Self::Array(other)) => one == other,
            (Self::Hash(one), Self::Hash(others)) => {
                let has = |pair: &(Value, Value)| others.contains(pair);
                one.len() == others.len() && (one == others || one.iter().all(has))
            }
            (
                Self::Regexp { source, options },
                Self::Regexp {
                    source: other,
                    options: other_options,
                },
            ) => source == other && options == other_options,
            (Self::Sensitive(one), Self::Sensitive(other)) => one == other,
            (
                Self::Object { class, text },
                Self::Object {
                    class: other,
                    text: other_text,
                },
            ) => class == other && text == other_text,
            _ => false,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::string(text)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::integer(number)
    }
}
