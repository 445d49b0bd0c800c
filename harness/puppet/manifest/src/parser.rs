//! The parser: recursive descent that accepts what Puppet's grammar accepts, up to the first part
//! that is not supported.

mod control;
mod expression;
mod primary;
mod resource;

use crate::error::{Error, Kind as ErrorKind, Result, unsupported};
use crate::lexer::Tokens;
use crate::source::Source;
use crate::tokens::{Kind, Token};
use crate::tree::{Block, Expr, Node};

/// Expressions nest at most so deep: the tree is walked recursively.
const DEPTH: usize = 200;

/// Parses a whole manifest.
pub(crate) fn parse(source: &Source, tokens: Tokens) -> Result<Block> {
    let mut parser = Parser {
        source,
        tokens: tokens.all,
        error: tokens.error,
        at: 0,
        depth: 0,
    };
    let block = parser.statements()?;
    if parser.kind() != Kind::End {
        return Err(parser.unexpected());
    }
    Ok(block)
}

struct Parser<'s, 't> {
    source: &'s Source<'t>,
    tokens: Vec<Token>,
    /// Why the tokens end, if not at the end of the text.
    error: Option<Box<Error>>,
    at: usize,
    depth: usize,
}

/// Functions that Puppet calls without parentheses.
const STATEMENT_CALLS: [&str; 15] = [
    "require", "realize", "include", "contain", "tag", "debug", "info", "notice", "warning", "err",
    "fail", "import", "break", "next", "return",
];

impl Parser<'_, '_> {
    /// The kind of the next token. The last token is never passed.
    fn kind(&self) -> Kind {
        self.tokens
            .get(self.at)
            .map_or(Kind::End, |token| token.kind)
    }

    /// The kind of the token after the next.
    fn second(&self) -> Kind {
        self.tokens
            .get(self.at + 1)
            .map_or(Kind::End, |token| token.kind)
    }

    fn offset(&self) -> usize {
        self.tokens
            .get(self.at)
            .map_or(self.source.text.len(), |token| token.offset)
    }

    /// Takes the next token's text and passes it.
    fn take(&mut self) -> String {
        let token = self.tokens.get_mut(self.at);
        let text = token.map(|token| std::mem::take(&mut token.text));
        self.pass();
        text.unwrap_or_default()
    }

    fn pass(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    /// Passes the next token if it is of the kind.
    fn accept(&mut self, kind: Kind) -> bool {
        let is = self.kind() == kind;
        if is {
            self.pass();
        }
        is
    }

    fn expect(&mut self, kind: Kind) -> Result<()> {
        if self.accept(kind) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    fn syntax(&self, offset: usize, message: impl Into<String>) -> Box<Error> {
        self.source.error(ErrorKind::Syntax, offset, message)
    }

    fn unsupported(&self, offset: usize, part: &str) -> Box<Error> {
        self.source
            .error(ErrorKind::Unsupported, offset, unsupported(part))
    }

    /// The next token does not fit.
    fn unexpected(&self) -> Box<Error> {
        let Some(token) = self.tokens.get(self.at) else {
            return self.syntax(self.source.text.len(), "Syntax error at end of input");
        };
        match token.kind {
            Kind::Failed => {
                let end = || self.syntax(token.offset, "Syntax error at end of input");
                self.error.clone().unwrap_or_else(end)
            }
            Kind::End => self.syntax(token.offset, "Syntax error at end of input"),
            Kind::Regex => {
                let message = format!(
                    "Syntax error at '(?-mix:{})'",
                    token.text.replace('/', "\\/")
                );
                self.syntax(token.offset, message)
            }
            _ => self.syntax(token.offset, format!("Syntax error at '{}'", token.text)),
        }
    }

    /// An expression, if the tree does not get too deep.
    fn node(&self, node: Node, offset: usize) -> Result<Expr> {
        let expr = Expr::new(node, offset);
        if expr.height > DEPTH {
            return Err(self.too_deep(offset));
        }
        Ok(expr)
    }

    fn too_deep(&self, offset: usize) -> Box<Error> {
        let message = format!("Expressions are nested more than {DEPTH} levels deep");
        self.source.error(ErrorKind::Unsupported, offset, message)
    }

    /// Runs a part of the parser one level deeper.
    fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        // One level of an expression takes several of the parser.
        if self.depth >= 3 * DEPTH {
            return Err(self.too_deep(self.offset()));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    /// Statements up to a closing brace or the end.
    fn statements(&mut self) -> Result<Block> {
        let mut block = Block::new();
        // The comma of the first list of expressions that no function takes.
        let mut stray: Option<Box<Error>> = None;
        while !matches!(self.kind(), Kind::End | Kind::RBrace) {
            if !block.is_empty() && self.accept(Kind::Semicolon) && self.kind() == Kind::RBrace {
                return Err(self.unexpected());
            }
            let called = match block.last() {
                Some(Expr {
                    node: Node::Name(name),
                    offset,
                    ..
                }) => Some((name.clone(), *offset)),
                _ => None,
            };
            let is_call = called
                .as_ref()
                .filter(|(name, _)| STATEMENT_CALLS.contains(&name.as_str()));
            if let Some((name, offset)) = is_call {
                // What follows must be an expression, or it is a syntax error.
                let offset = *offset;
                let part = format!("function '{name}'");
                self.assignment()?;
                return Err(self.unsupported(offset, &part));
            }
            let statement = self.assignment()?;
            while self.kind() == Kind::Comma {
                let comma = self.offset();
                self.pass();
                self.assignment()?;
                let message = match &called {
                    Some((name, _)) => format!(
                        "attempt to pass argument list to the function '{name}' which cannot be called without parentheses"
                    ),
                    None => "illegal comma separated argument list".to_owned(),
                };
                stray = stray.or_else(|| Some(self.syntax(comma, message)));
            }
            block.push(statement);
        }
        match stray {
            Some(error) => Err(error),
            None => Ok(block),
        }
    }

    /// Statements in braces.
    fn braced_block(&mut self) -> Result<Block> {
        self.expect(Kind::LBrace)?;
        let block = self.deeper(Self::statements)?;
        self.expect(Kind::RBrace)?;
        Ok(block)
    }

    /// An assignment, or anything that binds stronger.
    fn assignment(&mut self) -> Result<Expr> {
        self.deeper(|own| {
            let left = own.relation()?;
            let sign = match own.kind() {
                Kind::Equals => "=",
                Kind::Appends => "+=",
                Kind::Deletes => "-=",
                _ => return Ok(left),
            };
            let offset = own.offset();
            own.pass();
            let right = own.assignment()?;
            own.node(Node::Assign(sign, Box::new(left), Box::new(right)), offset)
        })
    }
}
