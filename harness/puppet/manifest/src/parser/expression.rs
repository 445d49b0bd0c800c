//! Expressions with operators, by precedence.

use super::Parser;
use crate::error::Result;
use crate::tokens::Kind;
use crate::tree::{Expr, Node, Operator};

/// How strong operators bind.
const OR: u8 = 1;
const AND: u8 = 2;
const SELECT: u8 = 3;
const IN: u8 = 10;
const MINUS: u8 = 11;
const UNFOLD: u8 = 12;
const NOT: u8 = 13;
const COLLECT: u8 = 14;
const ACCESS: u8 = 15;
const DOT: u8 = 16;
const CALL: u8 = 17;

/// Operators with two operands, and how strong they bind.
fn binary(kind: Kind) -> Option<(u8, Operator)> {
    Some(match kind {
        Kind::Less => (4, Operator::Less),
        Kind::LessEqual => (4, Operator::LessEqual),
        Kind::Greater => (4, Operator::Greater),
        Kind::GreaterEqual => (4, Operator::GreaterEqual),
        Kind::IsEqual => (5, Operator::Equal),
        Kind::NotEqual => (5, Operator::NotEqual),
        Kind::LShift => (6, Operator::LeftShift),
        Kind::RShift => (6, Operator::RightShift),
        Kind::Plus => (7, Operator::Plus),
        Kind::Minus => (7, Operator::Minus),
        Kind::Times => (8, Operator::Times),
        Kind::Div => (8, Operator::Divide),
        Kind::Modulo => (8, Operator::Modulo),
        Kind::Match => (9, Operator::Match),
        Kind::NoMatch => (9, Operator::NoMatch),
        Kind::In => (IN, Operator::In),
        _ => return None,
    })
}

impl Parser<'_, '_> {
    /// Any expression that is no assignment, relation or resource.
    pub(super) fn expression(&mut self) -> Result<Expr> {
        self.stronger(0)
    }

    /// An expression whose operators bind stronger than the given strength.
    fn stronger(&mut self, least: u8) -> Result<Expr> {
        self.deeper(|own| {
            let mut left = own.prefix()?;
            loop {
                match own.infix(left, least)? {
                    Step::Longer(expr) => left = expr,
                    Step::Done(expr) => return Ok(expr),
                }
            }
        })
    }

    fn prefix(&mut self) -> Result<Expr> {
        let offset = self.offset();
        let (strength, make): (u8, fn(Box<Expr>) -> Node) = match self.kind() {
            Kind::Minus => (MINUS, Node::Minus),
            Kind::Times => (UNFOLD, Node::Unfold),
            Kind::Not => (NOT, Node::Not),
            _ => return self.primary(),
        };
        self.pass();
        let operand = self.stronger(strength)?;
        self.node(make(Box::new(operand)), offset)
    }

    /// One operator behind an expression, and what belongs to it.
    fn infix(&mut self, left: Expr, least: u8) -> Result<Step> {
        let (kind, offset) = (self.kind(), self.offset());
        if let Some((strength, operator)) = binary(kind).filter(|(strength, _)| *strength > least) {
            self.pass();
            let right = self.stronger(strength)?;
            let node = Node::Binary(operator, Box::new(left), Box::new(right));
            return Ok(Step::Longer(self.node(node, offset)?));
        }
        let longer = match kind {
            Kind::Or if OR > least => {
                self.pass();
                let right = self.stronger(OR)?;
                self.node(Node::Or(Box::new(left), Box::new(right)), offset)?
            }
            Kind::And if AND > least => {
                self.pass();
                let right = self.stronger(AND)?;
                self.node(Node::And(Box::new(left), Box::new(right)), offset)?
            }
            Kind::Question if SELECT > least => self.selector(left)?,
            Kind::LCollect if COLLECT > least => {
                return Err(self.unsupported(left.offset, "collectors"));
            }
            Kind::LBrack if ACCESS > least => self.access(left)?,
            Kind::Dot if DOT > least => self.method(&left)?,
            Kind::LParen if CALL > least => self.call(&left)?,
            _ => return Ok(Step::Done(left)),
        };
        Ok(Step::Longer(longer))
    }

    fn selector(&mut self, test: Expr) -> Result<Expr> {
        self.pass();
        let mut entries = Vec::new();
        if self.accept(Kind::SelBrace) {
            loop {
                entries.push(self.selector_entry()?);
                let comma = self.accept(Kind::Comma);
                if self.accept(Kind::RBrace) {
                    break;
                }
                if !comma {
                    return Err(self.unexpected());
                }
            }
        } else {
            entries.push(self.selector_entry()?);
        }
        let offset = test.offset;
        self.node(Node::Selector(Box::new(test), entries), offset)
    }

    fn selector_entry(&mut self) -> Result<(Expr, Expr)> {
        let key = self.expression()?;
        self.expect(Kind::FArrow)?;
        Ok((key, self.expression()?))
    }

    fn access(&mut self, left: Expr) -> Result<Expr> {
        self.pass();
        let mut keys = Vec::new();
        loop {
            // It might be the key of a hash; otherwise it must be simpler.
            let key = self.entry()?;
            if self.kind() == Kind::FArrow {
                return Err(self.unsupported(self.offset(), "access with a hash as key"));
            }
            let simple = !matches!(
                key.node,
                Node::Assign(..)
                    | Node::Relation(..)
                    | Node::Resource(..)
                    | Node::Defaults(..)
                    | Node::Override(..)
                    | Node::Untitled(_)
            );
            if !simple {
                return Err(self.unexpected());
            }
            keys.push(key);
            let comma = self.accept(Kind::Comma);
            if self.accept(Kind::RBrack) {
                break;
            }
            if !comma {
                return Err(self.unexpected());
            }
        }
        let offset = left.offset;
        self.node(Node::Access(Box::new(left), keys), offset)
    }

    /// `.new` of `Sensitive`; all other methods are functions.
    fn method(&mut self, left: &Expr) -> Result<Expr> {
        self.pass();
        if !matches!(self.kind(), Kind::Name | Kind::Type) {
            return Err(self.unexpected());
        }
        let offset = left.offset;
        let name = self.take();
        let sensitive = matches!(&left.node, Node::TypeName(kind) if kind == "sensitive");
        if !sensitive || name != "new" || self.kind() != Kind::LParen {
            return Err(self.unsupported(offset, &format!("function '{name}'")));
        }
        self.sensitive(self.offset(), "Method call")
    }

    /// `Sensitive(…)`; all other calls are not supported.
    fn call(&mut self, left: &Expr) -> Result<Expr> {
        let offset = left.offset;
        match &left.node {
            Node::TypeName(kind) if kind == "sensitive" => self.sensitive(offset, "Function Call"),
            Node::TypeName(kind) => {
                let part = format!("call of the type '{}'", crate::reference::capitalized(kind));
                Err(self.unsupported(offset, &part))
            }
            Node::Name(name) => Err(self.unsupported(offset, &format!("function '{name}'"))),
            _ => Err(self.unsupported(offset, "call of a function")),
        }
    }

    /// The argument of `Sensitive`; `label` is what messages call the call.
    fn sensitive(&mut self, offset: usize, label: &str) -> Result<Expr> {
        self.pass();
        let mut arguments = self.entries(Kind::RParen)?;
        if self.kind() == Kind::Pipe {
            return Err(self.unsupported(self.offset(), "lambdas"));
        }
        let count = arguments.len();
        match (arguments.pop(), count) {
            (Some(value), 1) => self.node(Node::Sensitive(Box::new(value)), offset),
            _ => {
                let got = if count == 0 {
                    "none".to_owned()
                } else {
                    count.to_string()
                };
                let message = format!(
                    "Error while evaluating a {label}, 'new_Sensitive' expects 1 argument, got {got}"
                );
                Err(self
                    .source
                    .error(crate::error::Kind::Evaluation, offset, message))
            }
        }
    }
}

/// Whether an operator followed.
enum Step {
    Longer(Expr),
    Done(Expr),
}
