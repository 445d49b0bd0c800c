//! The words and signs of a manifest.

/// What a token is. Words that are keywords have kinds of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `[` behind anything but a blank: an access.
    LBrack,
    /// `[` behind a blank: a list.
    ListStart,
    RBrack,
    LBrace,
    /// `{` behind `?`.
    SelBrace,
    RBrace,
    /// `(` that may begin the arguments of a call.
    LParen,
    /// `(` at the start of a line.
    WsLParen,
    RParen,
    Equals,
    Appends,
    Deletes,
    IsEqual,
    NotEqual,
    Match,
    NoMatch,
    GreaterEqual,
    Greater,
    LessEqual,
    Less,
    FArrow,
    PArrow,
    LShift,
    RShift,
    /// `<|`, `<<|`
    LCollect,
    /// `|>`, `|>>`
    RCollect,
    Plus,
    Minus,
    Div,
    Times,
    Modulo,
    Not,
    Dot,
    Pipe,
    At,
    AtAt,
    Colon,
    Comma,
    Semicolon,
    Question,
    /// `->`, `<-`, `~>`, `<~`
    Edge,
    Regex,
    /// A variable; the text is its name.
    Variable,
    /// A lower case word that can name things.
    Name,
    /// Any other word.
    Word,
    ClassRef,
    Number,
    /// A string without interpolation.
    Str,
    /// Text before, between and behind interpolated expressions.
    DqPre,
    DqMid,
    DqPost,
    /// The start of a heredoc; the text is its syntax.
    Heredoc,
    /// The place of a heredoc's text.
    Sublocate,
    Case,
    Class,
    Default,
    Define,
    If,
    Elsif,
    Else,
    Inherits,
    Node,
    And,
    Or,
    Undef,
    Boolean,
    In,
    Unless,
    Function,
    Type,
    Attr,
    Private,
    /// A sign that means nothing.
    Other,
    /// The lexer could not go on.
    Failed,
    End,
}

/// A token.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Its value: a string is unquoted, a variable has no `$`.
    pub(crate) text: String,
    /// Where it begins in the file.
    pub(crate) offset: usize,
}

/// The keyword that a word is.
pub(crate) fn keyword(word: &str) -> Option<Kind> {
    Some(match word {
        "case" => Kind::Case,
        "class" => Kind::Class,
        "default" => Kind::Default,
        "define" => Kind::Define,
        "if" => Kind::If,
        "elsif" => Kind::Elsif,
        "else" => Kind::Else,
        "inherits" => Kind::Inherits,
        "node" => Kind::Node,
        "and" => Kind::And,
        "or" => Kind::Or,
        "undef" => Kind::Undef,
        "true" | "false" => Kind::Boolean,
        "in" => Kind::In,
        "unless" => Kind::Unless,
        "function" => Kind::Function,
        "type" => Kind::Type,
        "attr" => Kind::Attr,
        "private" => Kind::Private,
        _ => return None,
    })
}

impl Kind {
    /// Is it a keyword that can name an attribute?
    pub(crate) fn is_attribute_name(self) -> bool {
        self.is_keyword() && self != Self::Boolean || self == Self::Name
    }

    pub(crate) fn is_keyword(self) -> bool {
        use Kind::{
            And, Attr, Boolean, Case, Class, Default, Define, Else, Elsif, Function, If, In,
            Inherits, Node, Or, Private, Type, Undef, Unless,
        };
        matches!(
            self,
            Case | Class
                | Default
                | Define
                | If
                | Elsif
                | Else
                | Inherits
                | Node
                | And
                | Or
                | Undef
                | Boolean
                | In
                | Unless
                | Function
                | Type
                | Attr
                | Private
        )
    }
}
