//! A pattern as a tree.

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    /// Nothing.
    Empty,
    /// A character.
    Char(char),
    /// `.`; with `m` also a newline.
    Any(bool),
    /// A class, already written for the engine, with its brackets.
    Class(String),
    /// A class that case does not touch: `\w`, even under `i`.
    Exact(String),
    /// One after the other.
    Seq(Vec<Node>),
    /// One of them.
    Alt(Vec<Node>),
    /// Repeated.
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
        how: How,
    },
    /// A capturing group, perhaps with a name.
    Group {
        name: Option<String>,
        node: Box<Node>,
    },
    /// A part in which case does, or does not, matter.
    Case { ignored: bool, node: Box<Node> },
    /// `^`
    LineStart,
    /// `$`
    LineEnd,
    /// `\A`
    TextStart,
    /// `\z`
    TextEnd,
    /// `\Z`
    TextEndOrNewline,
    /// `\b`, or `\B`.
    Boundary { inside: bool },
    /// Looks ahead or behind.
    Look {
        behind: bool,
        negative: bool,
        node: Box<Node>,
    },
    /// `(?>…)`
    Atomic(Box<Node>),
    /// `\1` or `\k<name>`
    Back(Reference),
    /// `\g<name>`
    Call(String),
    /// `\K`
    Keep,
}

/// How a repetition takes its turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Greedy,
    Lazy,
    Possessive,
}

/// A group that is referred to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reference {
    Number(u32),
    Name(String),
}
