//! The smallest expressions: literals, lists, strings.

use super::Parser;
use crate::error::Result;
use crate::tokens::Kind;
use crate::tree::{Expr, Node, Piece};
use puppet_types::regex::{Fault, Pattern};

impl Parser<'_, '_> {
    pub(super) fn primary(&mut self) -> Result<Expr> {
        let offset = self.offset();
        let unsupported = |part: &str| Err(self.unsupported(offset, part));
        let node = match self.kind() {
            Kind::Variable => Node::Variable(self.take()),
            Kind::Name => Node::Name(self.take()),
            Kind::Str | Kind::Word => Node::String(self.take()),
            Kind::Number => return self.number(),
            Kind::Boolean => Node::Bool(self.take() == "true"),
            Kind::Undef => {
                self.pass();
                Node::Undef
            }
            Kind::Default => {
                self.pass();
                Node::Default
            }
            Kind::Regex => {
                let source = self.take();
                if let Some(Fault::Invalid(message)) = Pattern::new(source.as_str()).fault() {
                    return Err(self.syntax(offset, message.as_str()));
                }
                Node::Regexp(source)
            }
            Kind::ClassRef => {
                let name = self.take().to_lowercase();
                Node::TypeName(name.strip_prefix("::").unwrap_or(&name).to_owned())
            }
            Kind::DqPre => return self.interpolated(),
            Kind::Heredoc => return self.heredoc(),
            Kind::LBrack | Kind::ListStart => return self.list(),
            Kind::LBrace => return self.hash(),
            Kind::LParen | Kind::WsLParen => {
                self.pass();
                let inner = self.assignment()?;
                self.expect(Kind::RParen)?;
                Node::Parenthesized(Box::new(inner))
            }
            Kind::If => return self.if_statement(),
            Kind::Unless => return self.unless_statement(),
            Kind::Case => return self.case_statement(),
            Kind::Attr | Kind::Private => Node::Reserved(self.take()),
            Kind::Class => return unsupported("classes"),
            Kind::Define => return unsupported("defined types"),
            Kind::Node => return unsupported("nodes"),
            Kind::Function => return unsupported("functions"),
            Kind::Type if self.second() == Kind::LParen => return unsupported("function 'type'"),
            Kind::Type => return unsupported("type aliases"),
            _ => return Err(self.unexpected()),
        };
        self.node(node, offset)
    }

    fn number(&mut self) -> Result<Expr> {
        let offset = self.offset();
        let text = self.take();
        let radix = |digits: &str, radix| i128::from_str_radix(digits, radix).ok();
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let node = if let Some(digits) = hex {
            radix(digits, 16).map(Node::Integer)
        } else if text.contains(['.', 'e', 'E']) {
            let number: f64 = text.parse().unwrap_or(f64::INFINITY);
            if number.is_infinite() {
                let message =
                    format!("Internal Error, NUMBER token does not contain a valid number, {text}");
                return Err(self.syntax(offset, message));
            }
            Some(Node::Float(number))
        } else if text.len() > 1 && text.starts_with('0') {
            radix(&text, 8).map(Node::Integer)
        } else {
            radix(&text, 10).map(Node::Integer)
        };
        self.node(node.unwrap_or(Node::TooLarge(text)), offset)
    }

    /// A string with expressions.
    fn interpolated(&mut self) -> Result<Expr> {
        let offset = self.offset();
        let mut pieces = vec![Piece::Text(self.take())];
        loop {
            let inner = self.assignment()?;
            pieces.push(Piece::Expr(self.interpolation(inner)?));
            match self.kind() {
                Kind::DqMid => pieces.push(Piece::Text(self.take())),
                Kind::DqPost => {
                    pieces.push(Piece::Text(self.take()));
                    return self.node(Node::Interpolated(pieces), offset);
                }
                _ => return Err(self.unexpected()),
            }
        }
    }

    /// In a string, a name stands for a variable.
    fn interpolation(&self, expr: Expr) -> Result<Expr> {
        let offset = expr.offset;
        match expr.node {
            Node::Name(name) => self.node(Node::Variable(name), offset),
            Node::Integer(number) => self.node(Node::Variable(number.to_string()), offset),
            Node::Access(left, keys) => {
                let rewrites = matches!(
                    left.node,
                    Node::Access(..) | Node::Name(_) | Node::Integer(_)
                );
                let left = if rewrites {
                    self.interpolation(*left)?
                } else {
                    *left
                };
                self.node(Node::Access(Box::new(left), keys), offset)
            }
            node => self.node(node, offset),
        }
    }

    fn heredoc(&mut self) -> Result<Expr> {
        let offset = self.offset();
        let syntax = self.take();
        self.expect(Kind::Sublocate)?;
        let text = match self.kind() {
            Kind::Str => {
                let offset = self.offset();
                let text = self.take();
                self.node(Node::String(text), offset)?
            }
            Kind::DqPre => self.interpolated()?,
            _ => return Err(self.unexpected()),
        };
        self.node(Node::Heredoc(syntax, Box::new(text)), offset)
    }

    /// A key or a value of a hash, or an item of a list.
    pub(super) fn entry(&mut self) -> Result<Expr> {
        let word = matches!(self.kind(), Kind::Type | Kind::Function);
        let ends = matches!(
            self.second(),
            Kind::Comma | Kind::RBrack | Kind::RBrace | Kind::FArrow
        );
        if word && ends {
            let offset = self.offset();
            let text = self.take();
            return self.node(Node::String(text), offset);
        }
        self.assignment()
    }

    fn list(&mut self) -> Result<Expr> {
        let offset = self.offset();
        self.pass();
        let items = self.entries(Kind::RBrack)?;
        self.node(Node::List(items), offset)
    }

    /// Items up to a closing sign. Pairs next to each other are one hash.
    pub(super) fn entries(&mut self, close: Kind) -> Result<Vec<Expr>> {
        let mut items: Vec<Expr> = Vec::new();
        let mut pairs: Vec<(Expr, Expr)> = Vec::new();
        let mut pairs_at = 0;
        while !self.accept(close) {
            let item = self.entry()?;
            if self.kind() == Kind::FArrow {
                if pairs.is_empty() {
                    pairs_at = self.offset();
                }
                self.pass();
                pairs.push((item, self.entry()?));
            } else {
                if !pairs.is_empty() {
                    let hash = Node::Hash(std::mem::take(&mut pairs));
                    items.push(self.node(hash, pairs_at)?);
                }
                items.push(item);
            }
            if !self.accept(Kind::Comma) {
                self.expect(close)?;
                break;
            }
        }
        if !pairs.is_empty() {
            items.push(self.node(Node::Hash(pairs), pairs_at)?);
        }
        Ok(items)
    }

    fn hash(&mut self) -> Result<Expr> {
        let offset = self.offset();
        self.pass();
        let mut pairs = Vec::new();
        while !self.accept(Kind::RBrace) {
            let key = self.entry()?;
            self.expect(Kind::FArrow)?;
            pairs.push((key, self.entry()?));
            if !self.accept(Kind::Comma) {
                self.expect(Kind::RBrace)?;
                break;
            }
        }
        self.node(Node::Hash(pairs), offset)
    }
}
