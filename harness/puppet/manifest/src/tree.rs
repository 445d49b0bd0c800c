//! The syntax tree.

/// An expression and where errors say it is: at its first sign, or at its operator.
#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) node: Node,
    pub(crate) offset: usize,
    /// How deep the tree below it is; it is limited, since walks recurse.
    pub(crate) height: usize,
}

/// A list of statements.
pub(crate) type Block = Vec<Expr>;

/// What an expression is.
#[derive(Debug)]
pub(crate) enum Node {
    Undef,
    Default,
    Bool(bool),
    Integer(i128),
    /// A literal that no integer of Puppet is, as written.
    TooLarge(String),
    Float(f64),
    /// A string in quotes, or a word that names nothing.
    String(String),
    /// A bare name.
    Name(String),
    /// A string with expressions in it.
    Interpolated(Vec<Piece>),
    /// A heredoc: its syntax, and its text.
    Heredoc(String, Box<Expr>),
    Regexp(String),
    Variable(String),
    /// The name of a type, in lower case.
    TypeName(String),
    List(Vec<Expr>),
    Hash(Vec<(Expr, Expr)>),
    Parenthesized(Box<Expr>),
    Not(Box<Expr>),
    Minus(Box<Expr>),
    Unfold(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// `=`, or `+=` and `-=`, which are no longer allowed.
    Assign(&'static str, Box<Expr>, Box<Expr>),
    Access(Box<Expr>, Vec<Expr>),
    /// `Sensitive(…)`, `Sensitive.new(…)`
    Sensitive(Box<Expr>),
    Selector(Box<Expr>, Vec<(Expr, Expr)>),
    /// The condition, what follows, what else. `true` for `unless`.
    If(bool, Box<Expr>, Block, Block),
    Case(Box<Expr>, Vec<Choice>),
    /// A chain of relations: the first operand, then each operator, its offset and operand.
    Relation(Box<Expr>, Vec<(Edge, usize, Expr)>),
    /// The type, and the bodies.
    Resource(Box<Expr>, Vec<Body>),
    /// The type.
    Defaults(String, Vec<Operation>),
    Override(Box<Expr>, Vec<Operation>),
    /// A resource without a title, which Puppet takes for a name and a hash.
    Untitled(String),
    /// A word that may not be used.
    Reserved(String),
}

/// A part of a string.
#[derive(Debug)]
pub(crate) enum Piece {
    Text(String),
    Expr(Expr),
}

/// Operators with two operands that are always evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    LeftShift,
    RightShift,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Match,
    NoMatch,
    In,
}

/// The arrows of relations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    /// Does the arrow point left?
    pub(crate) reverse: bool,
    /// Does it notify?
    pub(crate) notifies: bool,
}

/// A part of a `case` statement.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) values: Vec<Expr>,
    pub(crate) then: Block,
}

/// A title with attributes.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) title: Expr,
    pub(crate) operations: Vec<Operation>,
}

/// An attribute.
#[derive(Debug)]
pub(crate) struct Operation {
    /// `None` for `*`.
    pub(crate) name: Option<String>,
    /// Is it `+>`?
    pub(crate) adds: bool,
    pub(crate) value: Expr,
    pub(crate) offset: usize,
}

impl Operator {
    /// As it is written.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
            Self::LeftShift => "<<",
            Self::RightShift => ">>",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Match => "=~",
            Self::NoMatch => "!~",
            Self::In => "in",
        }
    }
}

impl Edge {
    /// As it is written.
    pub(crate) fn sign(self) -> &'static str {
        match (self.reverse, self.notifies) {
            (false, false) => "->",
            (false, true) => "~>",
            (true, false) => "<-",
            (true, true) => "<~",
        }
    }
}

impl Node {
    /// Calls `visit` with each expression right below.
    pub(crate) fn each_child<'n>(&'n self, visit: &mut dyn FnMut(&'n Expr)) {
        match self {
            Self::Undef
            | Self::Default
            | Self::Bool(_)
            | Self::Integer(_)
            | Self::TooLarge(_)
            | Self::Float(_)
            | Self::String(_)
            | Self::Name(_)
            | Self::Regexp(_)
            | Self::Variable(_)
            | Self::TypeName(_)
            | Self::Untitled(_)
            | Self::Reserved(_) => {}
            Self::Interpolated(pieces) => {
                for piece in pieces {
                    if let Piece::Expr(expr) = piece {
                        visit(expr);
                    }
                }
            }
            Self::Heredoc(_, one)
            | Self::Parenthesized(one)
            | Self::Not(one)
            | Self::Minus(one)
            | Self::Unfold(one)
            | Self::Sensitive(one) => visit(one),
            Self::List(all) => all.iter().for_each(visit),
            Self::Hash(pairs) => {
                for (key, value) in pairs {
                    visit(key);
                    visit(value);
                }
            }
            Self::Binary(_, one, other)
            | Self::And(one, other)
            | Self::Or(one, other)
            | Self::Assign(_, one, other) => {
                visit(one);
                visit(other);
            }
            Self::Access(one, keys) => {
                visit(one);
                keys.iter().for_each(visit);
            }
            Self::Selector(one, entries) => {
                visit(one);
                for (key, value) in entries {
                    visit(key);
                    visit(value);
                }
            }
            Self::If(_, test, then, other) => {
                visit(test);
                then.iter().chain(other).for_each(visit);
            }
            Self::Case(test, choices) => {
                visit(test);
                for choice in choices {
                    choice
                        .values
                        .iter()
                        .chain(&choice.then)
                        .for_each(&mut *visit);
                }
            }
            Self::Relation(first, rest) => {
                visit(first);
                rest.iter().for_each(|(_, _, operand)| visit(operand));
            }
            Self::Resource(kind, bodies) => {
                visit(kind);
                for body in bodies {
                    visit(&body.title);
                    body.operations.iter().for_each(|one| visit(&one.value));
                }
            }
            Self::Defaults(_, operations) => operations.iter().for_each(|one| visit(&one.value)),
            Self::Override(one, operations) => {
                visit(one);
                operations.iter().for_each(|one| visit(&one.value));
            }
        }
    }
}

impl Expr {
    pub(crate) fn new(node: Node, offset: usize) -> Self {
        let mut height = 0;
        node.each_child(&mut |child| height = height.max(child.height));
        Self {
            node,
            offset,
            height: height + 1,
        }
    }
}
