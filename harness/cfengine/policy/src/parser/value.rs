//! Values: strings, words, variables, lists and calls.

use super::{Parser, Step};
use crate::diagnostic::Diagnostic;
use crate::lexer::Token;
use crate::tree::{Call, List, Name, Rval, Text};

/// How deep calls may be nested, as in cf-agent.
const DEEPEST_CALL: usize = 9;

impl Parser<'_> {
    /// The right-hand side of an attribute.
    pub(super) fn rval(&mut self) -> Step<Rval> {
        if self.at_byte(b'{') {
            return self.list();
        }
        self.simple(0, "a string, a name, a variable, a call or a list")
    }

    /// A value that is no list, inside `depth` calls.
    fn simple(&mut self, depth: usize, expected: &str) -> Step<Rval> {
        match self.next.token {
            Token::Quoted(_) => self.quoted().map(Rval::String),
            Token::Identifier => {
                let name = self.identifier(expected)?;
                self.call_or(name, depth, Rval::Symbol)
            }
            Token::Variable => {
                let name = Name {
                    text: self.shown(),
                    span: self.next.span,
                };
                self.advance()?;
                self.call_or(name, depth, |Name { text, span }| {
                    Rval::Variable(Text { text, span })
                })
            }
            _ => self.unexpected(expected),
        }
    }

    fn call_or(
        &mut self,
        name: Name,
        depth: usize,
        otherwise: impl FnOnce(Name) -> Rval,
    ) -> Step<Rval> {
        if !self.at_byte(b'(') {
            return Ok(otherwise(name));
        }
        if depth == DEEPEST_CALL {
            return Err(Diagnostic::new(
                name.span,
                format!("expected calls at most {DEEPEST_CALL} deep"),
            ));
        }
        self.advance()?;
        let arguments = self.arguments(depth + 1)?;
        let span = name.span.to(self.next.span);
        self.advance()?;
        Ok(Rval::Call(Call {
            name,
            arguments,
            span,
        }))
    }

    /// The arguments up to the closing bracket. cf-agent's grammar allows a comma before the first
    /// argument, and since 3.28 after the last.
    fn arguments(&mut self, depth: usize) -> Step<Vec<Rval>> {
        let mut arguments = Vec::new();
        if self.at_byte(b')') {
            return Ok(arguments);
        }
        self.eat(b',')?;
        loop {
            let expected = if arguments.is_empty() {
                "an argument or `)`"
            } else {
                "an argument"
            };
            arguments.push(self.simple(depth, expected)?);
            if self.at_byte(b')') {
                return Ok(arguments);
            }
            self.expect(b',', "`,` or `)`")?;
            if self.release.allows_final_comma && self.at_byte(b')') {
                return Ok(arguments);
            }
        }
    }

    /// Parses `{ a, b }`; a comma may follow the last item.
    fn list(&mut self) -> Step<Rval> {
        let start = self.next.span;
        self.advance()?;
        let mut items = Vec::new();
        while !self.at_byte(b'}') {
            items.push(self.simple(0, "an item of the list or `}`")?);
            if !self.at_byte(b'}') {
                self.expect(b',', "`,` or `}`")?;
            }
        }
        let span = start.to(self.next.span);
        self.advance()?;
        Ok(Rval::List(List { items, span }))
    }
}
