//! Resources, defaults, overrides, and relations between them.

use super::{Parser, STATEMENT_CALLS};
use crate::error::Result;
use crate::tokens::Kind;
use crate::tree::{Body, Edge, Expr, Node, Operation};

impl Parser<'_, '_> {
    /// Resources with arrows between them.
    pub(super) fn relation(&mut self) -> Result<Expr> {
        let first = self.resource()?;
        let mut rest = Vec::new();
        while self.kind() == Kind::Edge {
            let offset = self.offset();
            let sign = self.take();
            let edge = Edge {
                reverse: sign.starts_with('<'),
                notifies: sign.contains('~'),
            };
            rest.push((edge, offset, self.resource()?));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        let offset = rest.last().map_or(first.offset, |(_, offset, _)| *offset);
        self.node(Node::Relation(Box::new(first), rest), offset)
    }

    /// An expression, and perhaps attributes in braces behind it.
    fn resource(&mut self) -> Result<Expr> {
        let offset = self.offset();
        match self.kind() {
            Kind::At => return Err(self.unsupported(offset, "virtual resources")),
            Kind::AtAt => return Err(self.unsupported(offset, "exported resources")),
            _ => {}
        }
        let mut left = self.expression()?;
        while self.kind() == Kind::LBrace {
            left = self.deeper(|own| own.in_braces(left))?;
        }
        Ok(left)
    }

    fn in_braces(&mut self, left: Expr) -> Result<Expr> {
        let (brace, offset) = (self.offset(), left.offset);
        self.pass();
        let arrow = matches!(self.second(), Kind::FArrow | Kind::PArrow);
        let named = arrow && (self.kind().is_attribute_name() || self.kind() == Kind::Times);
        if !named && !matches!(self.kind(), Kind::RBrace | Kind::Comma) {
            let bodies = self.bodies()?;
            self.expect(Kind::RBrace)?;
            return self.node(Node::Resource(Box::new(left), bodies), offset);
        }
        let operations = self.operations()?;
        self.expect(Kind::RBrace)?;
        let node = match left.node {
            Node::Name(name) if STATEMENT_CALLS.contains(&name.as_str()) => {
                return Err(self.unsupported(offset, &format!("function '{name}'")));
            }
            Node::Name(_) if operations.iter().any(|one| one.adds) => {
                let message = "Syntax error resource body without title or hash with +>";
                return Err(self.syntax(brace, message));
            }
            Node::Name(name) => Node::Untitled(name),
            Node::TypeName(kind) => Node::Defaults(kind, operations),
            Node::Access(..) => Node::Override(Box::new(left), operations),
            _ => {
                let message =
                    "Expression is not valid as a resource, resource-default, or resource-override";
                return Err(self.syntax(offset, message));
            }
        };
        self.node(node, offset)
    }

    fn bodies(&mut self) -> Result<Vec<Body>> {
        let mut bodies = Vec::new();
        loop {
            let title = self.expression()?;
            self.expect(Kind::Colon)?;
            let operations = self.operations()?;
            bodies.push(Body { title, operations });
            if !self.accept(Kind::Semicolon) || self.kind() == Kind::RBrace {
                return Ok(bodies);
            }
        }
    }

    /// Attributes with commas between them, and perhaps before the first and behind the last.
    fn operations(&mut self) -> Result<Vec<Operation>> {
        let mut operations = Vec::new();
        self.accept(Kind::Comma);
        loop {
            let offset = self.offset();
            let name = match self.kind() {
                Kind::Times => None,
                kind if kind.is_attribute_name() => Some(()),
                _ => return Ok(operations),
            };
            let text = self.take();
            let adds = name.is_some() && self.accept(Kind::PArrow);
            if !adds {
                self.expect(Kind::FArrow)?;
            }
            operations.push(Operation {
                name: name.map(|()| text),
                adds,
                value: self.expression()?,
                offset,
            });
            if !self.accept(Kind::Comma) {
                return Ok(operations);
            }
        }
    }
}
