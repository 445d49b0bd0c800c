//! The types of values.

/// The type of an attribute's or argument's value, or of a function's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A text.
    String,
    /// An integer.
    Int,
    /// A real number.
    Real,
    /// A word of a menu.
    Option,
    /// A class expression.
    Context,
    /// Two integers.
    IntRange,
    /// Two real numbers.
    RealRange,
    /// A list of texts.
    StringList,
    /// A list of integers.
    IntList,
    /// A list of real numbers.
    RealList,
    /// A list of words of a menu.
    OptionList,
    /// A list of class expressions.
    ContextList,
    /// A data container.
    Data,
    /// The name of a body.
    Body,
    /// The name of a bundle.
    Bundle,
    /// A removed attribute: cf-agent still parses it, but ignores it.
    Removed,
}

impl Type {
    pub(super) fn read(word: &str) -> Self {
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

    /// Whether it is a list type.
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

    /// The name in the language.
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
