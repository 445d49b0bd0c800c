//! What the agent finds wrong with a value, in its own words.

/// What is wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A range in brackets.
    Brackets,
    /// A range of one number, or of more than two.
    NoPair,
    /// A single value in the place of a list.
    Scalar,
    /// A list in the place of a single value.
    List,
    /// No permissions.
    Mode,
    /// A text that its pattern does not match.
    Text,
    /// An empty text that its pattern does not match.
    Empty,
    /// No whole number.
    NoInt,
    /// A whole number too small or too great.
    Int,
    /// `inf`, which is no real number.
    Infinite,
    /// No number, or one too small or too great.
    Real,
    /// No word of the menu.
    Menu,
    /// A function that gives something else.
    Returned,
    /// A function that is not there.
    UnknownFunction,
    /// No class expression.
    Context,
    /// A path that is not absolute.
    Path,
    /// A variable's brackets that don't match.
    Variable,
}

impl Fault {
    /// How the agent tells it when it judges a value that was expanded.
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
