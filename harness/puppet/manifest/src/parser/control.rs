//! `if`, `unless` and `case`.

use super::Parser;
use crate::error::Result;
use crate::tokens::Kind;
use crate::tree::{Block, Choice, Expr, Node};

impl Parser<'_, '_> {
    /// `if`, or `elsif` as a statement of its own.
    pub(super) fn if_statement(&mut self) -> Result<Expr> {
        self.deeper(|own| {
            let offset = own.offset();
            own.pass();
            let test = own.expression()?;
            let then = own.braced_block()?;
            let other = match own.kind() {
                Kind::Elsif => vec![own.if_statement()?],
                _ => own.else_block()?,
            };
            own.node(Node::If(true, Box::new(test), then, other), offset)
        })
    }

    fn else_block(&mut self) -> Result<Block> {
        if self.accept(Kind::Else) {
            self.braced_block()
        } else {
            Ok(Block::new())
        }
    }

    pub(super) fn unless_statement(&mut self) -> Result<Expr> {
        let offset = self.offset();
        self.pass();
        let test = self.expression()?;
        let then = self.braced_block()?;
        let other = self.else_block()?;
        self.node(Node::If(false, Box::new(test), then, other), offset)
    }

    pub(super) fn case_statement(&mut self) -> Result<Expr> {
        let offset = self.offset();
        self.pass();
        let test = self.expression()?;
        self.expect(Kind::LBrace)?;
        let mut choices = Vec::new();
        loop {
            let mut values = vec![self.expression()?];
            while self.accept(Kind::Comma) {
                values.push(self.expression()?);
            }
            self.expect(Kind::Colon)?;
            let then = self.braced_block()?;
            choices.push(Choice { values, then });
            if self.accept(Kind::RBrace) {
                break;
            }
        }
        self.node(Node::Case(Box::new(test), choices), offset)
    }
}
