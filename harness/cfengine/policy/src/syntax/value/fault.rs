//! The faults of a value, and cf-agent's messages about them.

/// A fault of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A range in brackets.
    Brackets,
    /// A range of one number, or of more than two.
    NoPair,
    /// A single value instead of a list.
    Scalar,
    /// A list instead of a single value.
    List,
    /// A text that is no mode.
    Mode,
    /// A text that does not match its pattern.
    Text,
    /// An empty text that does not match its pattern.
    Empty,
    /// A text that is no integer.
    NoInt,
    /// An integer out of range.
    Int,
    /// `inf`, which is no real number.
    Infinite,
    /// A text that is no real number, or a real number out of range.
    Real,
    /// A text that is no word of the menu.
    Menu,
    /// A function with a wrong result type.
    Returned,
    /// A function that does not exist.
    UnknownFunction,
    /// A text that is no class expression.
    Context,
    /// A path that is not absolute.
    Path,
    /// A variable whose brackets do not match.
    Variable,
}

impl Fault {
    /// cf-agent's message when it checks an expanded value.
    pub fn words(self) -> &'static str {
        match self {
            Self::Brackets => {
                "Real range specification should not be enclosed in brackets - just 'a,b'"
            }
            Self::NoPair => {
                "Range format specifier should be of form 'a,b'' but got multiple items"
            }
            Self::Scalar => "Attempted to give a scalar to a non-scalar type",
            Self::List => "Attempted to give a list to a non-list type",
            Self::Mode => "Error parsing Unix permission string",
            Self::Text => "Scalar value is out of range",
            Self::Empty => "Empty scalar value is out of range",
            Self::NoInt => "Cannot parse value as integer",
            Self::Int => "Integer is out of range",
            Self::Infinite => "Keyword 'inf' has an integer value, cannot be used as real",
            Self::Real => "Real value is out of range",
            Self::Menu => "Selection is out of bounds",
            Self::Returned => "Function does not return the required type",
            Self::UnknownFunction => "Unknown function",
            Self::Context => "Context string is invalid/out of range",
            Self::Path => "Filename is not an absolute path",
            Self::Variable => "Cannot check unexpanded value",
        }
    }
}
