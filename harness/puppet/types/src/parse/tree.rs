//! Builds a tree from tokens.

use super::lexer::{Lexed, Token};
use super::{ErrorClass, ParseError};
use std::ops::Range;

/// Expressions nested deeper than this are refused.
const MAX_DEPTH: usize = 100;

/// An expression and where it is.
#[derive(Debug)]
pub(super) struct Spanned<'t> {
    pub(super) node: Node<'t>,
    pub(super) span: Range<usize>,
}

/// An expression, as far as a type can contain it.
#[derive(Debug)]
pub(super) enum Node<'t> {
    Reference(&'t str),
    Access(Box<Spanned<'t>>, Vec<Spanned<'t>>),
    Text(String),
    Number(&'t str),
    Bool(bool),
    Default,
    Undef,
    Regexp(String),
    List(Vec<Spanned<'t>>),
    Hash(Vec<(Spanned<'t>, Spanned<'t>)>),
    Minus(Box<Spanned<'t>>),
    /// `type X = T`
    Alias(&'t str, Box<Spanned<'t>>),
    /// Any other expression, which is no type and no parameter of one.
    Other,
}

type Parsed<T> = Result<T, ParseError>;

/// `broken` is the error of the lexer behind the last token, if there is one.
pub(super) fn program<'t>(
    text: &'t str,
    tokens: &'t [Lexed<'t>],
    broken: Option<&'t ParseError>,
) -> Parsed<Spanned<'t>> {
    let mut parser = Parser {
        text,
        tokens,
        broken,
        at: 0,
        depth: 0,
    };
    let mut statements = Vec::new();
    let mut plain = true;
    while let Some(next) = parser.peek() {
        if !statements.is_empty() && *next == Token::Semicolon {
            plain = false;
            parser.at += 1;
            continue;
        }
        statements.push(parser.statement()?);
        parser.no_list()?;
    }
    if let Some(broken) = broken {
        return Err(broken.clone());
    }
    if plain && statements.len() == 1 {
        return Ok(statements.swap_remove(0));
    }
    let span = match (statements.first(), statements.last()) {
        (Some(first), Some(last)) => first.span.start..last.span.end,
        _ => 0..0,
    };
    Ok(Spanned {
        node: Node::Other,
        span,
    })
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Lexed<'t>],
    broken: Option<&'t ParseError>,
    at: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at).map(|lexed| &lexed.token)
    }

    fn next(&mut self) -> Option<&'t Lexed<'t>> {
        let found = self.tokens.get(self.at);
        self.at += 1;
        found
    }

    fn eat(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &Token) -> Parsed<usize> {
        match self.tokens.get(self.at) {
            Some(found) if found.token == *token => {
                self.at += 1;
                Ok(found.span.end)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// The error at this place.
    fn unexpected(&self) -> ParseError {
        match self.tokens.get(self.at) {
            Some(found) => {
                let shown = match &found.token {
                    Token::Text(text) => text.as_str(),
                    Token::Unknown => "",
                    _ => &self.text[found.span.clone()],
                };
                let message = format!("Syntax error at '{shown}'");
                ParseError::syntax(&message, self.text, found.span.start)
            }
            None => self.broken.cloned().unwrap_or_else(|| {
                let message = "Syntax error at end of input";
                ParseError::new(ErrorClass::Syntax, message, self.text, self.text.len())
            }),
        }
    }

    /// Statements are no list.
    fn no_list(&mut self) -> Parsed<()> {
        let Some(comma) = self.tokens.get(self.at) else {
            return Ok(());
        };
        if comma.token != Token::Comma {
            return Ok(());
        }
        while self.eat(&Token::Comma) {
            self.expression()?;
        }
        let message = "illegal comma separated argument list";
        let mut error = ParseError::syntax(message, self.text, comma.span.start);
        error.class = ErrorClass::NoType;
        Err(error)
    }

    fn statement(&mut self) -> Parsed<Spanned<'t>> {
        let is_alias = matches!(self.peek(), Some(Token::Keyword("type")));
        if !is_alias {
            return self.assignment();
        }
        let start = self.tokens[self.at].span.start;
        self.at += 1;
        let Some(Token::Reference(name)) = self.peek() else {
            return Err(self.unexpected());
        };
        self.at += 1;
        if !self.eat(&Token::Operator("=")) {
            return Err(self.unexpected());
        }
        let target = self.expression()?;
        let span = start..target.span.end;
        Ok(Spanned {
            node: Node::Alias(name, Box::new(target)),
            span,
        })
    }

    fn assignment(&mut self) -> Parsed<Spanned<'t>> {
        let left = self.expression()?;
        let Some(Token::Operator(operator)) = self.peek() else {
            return Ok(left);
        };
        if !matches!(*operator, "=" | "+=" | "-=") {
            return Ok(left);
        }
        self.at += 1;
        self.nested(|parser| {
            let right = parser.assignment()?;
            Ok(Spanned {
                node: Node::Other,
                span: left.span.start..right.span.end,
            })
        })
    }

    fn expression(&mut self) -> Parsed<Spanned<'t>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let offset = self.tokens.get(self.at).map_or(0, |next| next.span.start);
            let message = "the type is nested too deep";
            return Err(ParseError::new(
                ErrorClass::Syntax,
                message,
                self.text,
                offset,
            ));
        }
        let mut left = self.unary()?;
        while self.binary() {
            let right = self.unary()?;
            left = Spanned {
                node: Node::Other,
                span: left.span.start..right.span.end,
            };
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Takes an operator between two expressions.
    fn binary(&mut self) -> bool {
        const BETWEEN: [&str; 14] = [
            "+", "/", "*", "%", "<<", ">>", "==", "!=", ">", ">=", "<", "<=", "=~", "!~",
        ];
        let found = match self.peek() {
            Some(Token::Minus) => true,
            Some(Token::Operator(operator)) => BETWEEN.contains(operator),
            Some(Token::Keyword(word)) => matches!(*word, "and" | "or" | "in"),
            _ => false,
        };
        self.at += usize::from(found);
        found
    }

    fn unary(&mut self) -> Parsed<Spanned<'t>> {
        let start = self.tokens.get(self.at).map_or(0, |next| next.span.start);
        match self.peek() {
            Some(Token::Minus) => {
                self.at += 1;
                self.nested(|parser| {
                    let inner = parser.unary()?;
                    let span = start..inner.span.end;
                    Ok(Spanned {
                        node: Node::Minus(Box::new(inner)),
                        span,
                    })
                })
            }
            Some(Token::Operator(operator)) if matches!(*operator, "!" | "*") => {
                self.at += 1;
                self.nested(|parser| {
                    let inner = parser.unary()?;
                    let span = start..inner.span.end;
                    Ok(Spanned {
                        node: Node::Other,
                        span,
                    })
                })
            }
            _ => self.postfix(),
        }
    }

    fn nested(
        &mut self,
        read: impl FnOnce(&mut Self) -> Parsed<Spanned<'t>>,
    ) -> Parsed<Spanned<'t>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.unexpected());
        }
        let found = read(self)?;
        self.depth -= 1;
        Ok(found)
    }

    fn postfix(&mut self) -> Parsed<Spanned<'t>> {
        let mut left = self.primary()?;
        loop {
            let start = left.span.start;
            if self.eat(&Token::Access) {
                let parameters = self.parameters()?;
                let end = self.expect(&Token::CloseList)?;
                left = Spanned {
                    node: Node::Access(Box::new(left), parameters),
                    span: start..end,
                };
            } else if self.eat(&Token::Paren) {
                if self.peek() != Some(&Token::CloseParen) {
                    self.items(&Token::CloseParen)?;
                }
                let end = self.expect(&Token::CloseParen)?;
                left = Spanned {
                    node: Node::Other,
                    span: start..end,
                };
            } else if self.eat(&Token::Dot) {
                let end = match self.next() {
                    Some(Lexed {
                        token: Token::Name(_),
                        span,
                    }) => span.end,
                    Some(Lexed {
                        token: Token::Keyword(word),
                        span,
                    }) if *word == "type" => span.end,
                    _ => {
                        self.at -= 1;
                        return Err(self.unexpected());
                    }
                };
                left = Spanned {
                    node: Node::Other,
                    span: start..end,
                };
            } else {
                return Ok(left);
            }
        }
    }

    fn primary(&mut self) -> Parsed<Spanned<'t>> {
        let Some(lexed) = self.next() else {
            self.at -= 1;
            return Err(self.unexpected());
        };
        let start = lexed.span.start;
        let mut span = lexed.span.clone();
        let node = match &lexed.token {
            Token::Reference(name) => Node::Reference(name),
            Token::Name(text) => Node::Text((*text).to_owned()),
            Token::Text(text) => Node::Text(text.clone()),
            Token::Number(digits) => Node::Number(digits),
            Token::Regexp(source) => Node::Regexp(source.clone()),
            Token::Variable | Token::Interpolated => Node::Other,
            Token::Keyword(word) => match *word {
                "default" => Node::Default,
                "undef" => Node::Undef,
                "true" => Node::Bool(true),
                "false" => Node::Bool(false),
                // The error is at what follows, as these words begin other things.
                "class" | "type" | "define" | "function" | "node" | "if" | "unless" | "case" => {
                    return Err(self.unexpected());
                }
                _ => {
                    self.at -= 1;
                    return Err(self.unexpected());
                }
            },
            Token::List | Token::Access => {
                let items = if self.peek() == Some(&Token::CloseList) {
                    Vec::new()
                } else {
                    self.items(&Token::CloseList)?
                };
                span.end = self.expect(&Token::CloseList)?;
                Node::List(items)
            }
            Token::Brace => {
                let mut pairs = Vec::new();
                while self.peek() != Some(&Token::CloseBrace) {
                    pairs.push(self.pair()?);
                    if !self.eat(&Token::Comma) {
                        break;
                    }
                }
                span.end = self.expect(&Token::CloseBrace)?;
                Node::Hash(pairs)
            }
            Token::Paren => {
                let inner = self.assignment()?;
                self.expect(&Token::CloseParen)?;
                // Puppet forgets the closing parenthesis.
                span = start..inner.span.end;
                Node::Other
            }
            _ => {
                self.at -= 1;
                return Err(self.unexpected());
            }
        };
        Ok(Spanned { node, span })
    }

    fn pair(&mut self) -> Parsed<(Spanned<'t>, Spanned<'t>)> {
        let key = self.entry()?;
        self.expect(&Token::Arrow)?;
        Ok((key, self.entry()?))
    }

    /// An element of a list or a hash. Two keywords are words there.
    fn entry(&mut self) -> Parsed<Spanned<'t>> {
        if let Some(Lexed {
            token: Token::Keyword(word),
            span,
        }) = self.tokens.get(self.at)
            && matches!(*word, "type" | "function")
        {
            self.at += 1;
            return Ok(Spanned {
                node: Node::Text((*word).to_owned()),
                span: span.clone(),
            });
        }
        self.assignment()
    }

    /// At least one expression, with commas between, and perhaps one at the end.
    fn items(&mut self, close: &Token) -> Parsed<Vec<Spanned<'t>>> {
        let mut items = vec![self.entry()?];
        while self.eat(&Token::Comma) {
            if self.peek() == Some(close) {
                break;
            }
            items.push(self.entry()?);
        }
        Ok(items)
    }

    /// The parameters of a type: pairs without braces are one hash.
    fn parameters(&mut self) -> Parsed<Vec<Spanned<'t>>> {
        let mut all: Vec<Spanned<'t>> = Vec::new();
        let mut in_pairs = false;
        loop {
            let one = self.expression()?;
            if self.eat(&Token::Arrow) {
                let value = self.expression()?;
                let end = value.span.end;
                match all.last_mut() {
                    Some(Spanned {
                        node: Node::Hash(pairs),
                        span,
                    }) if in_pairs => {
                        span.end = end;
                        pairs.push((one, value));
                    }
                    _ => {
                        let span = one.span.start..end;
                        let node = Node::Hash(vec![(one, value)]);
                        all.push(Spanned { node, span });
                    }
                }
                in_pairs = true;
            } else {
                all.push(one);
                in_pairs = false;
            }
            if !self.eat(&Token::Comma) || self.peek() == Some(&Token::CloseList) {
                return Ok(all);
            }
        }
    }
}
