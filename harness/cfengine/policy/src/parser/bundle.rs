//! The content of a bundle: sections, guards, promises.

use super::{Parser, Step, put};
use crate::lexer::Token;
use crate::source::Span;
use crate::text;
use crate::tree::{Context, Name, Promise, Section, Text};

impl Parser<'_> {
    pub(super) fn sections(&mut self) -> Step<Vec<Section>> {
        let mut sections = Vec::new();
        while self.next.token == Token::Section {
            sections.push(self.section()?);
        }
        Ok(sections)
    }

    fn section(&mut self) -> Step<Section> {
        let span = self.next.span;
        let word = Span {
            end: span.end - 1, // without the colon
            ..span
        };
        let kind = Name {
            text: text::decode(self.raw(word)).into(),
            span: word,
        };
        self.advance()?;
        let mut contexts = Vec::new();
        loop {
            match self.next.token {
                Token::Guard | Token::QuotedGuard => {
                    let quoted = self.next.token == Token::QuotedGuard;
                    let guard = Some(self.guard(quoted)?);
                    let items = Vec::new();
                    contexts.push(Context { guard, items });
                }
                Token::Quoted(_) => {
                    let promise = self.promise()?;
                    put(&mut contexts, promise);
                }
                _ => break,
            }
        }
        let span = span.to(self.last);
        Ok(Section {
            kind,
            contexts,
            span,
        })
    }

    fn promise(&mut self) -> Step<Promise> {
        let agent_line = self.next.agent_line;
        let promiser = self.quoted()?;
        let mut promisee = None;
        if self.next.token == Token::ThinArrow {
            self.advance()?;
            promisee = Some(self.rval()?);
        }
        let mut attributes = Vec::new();
        if self.next.token == Token::Identifier {
            attributes.push(self.attribute()?);
            while self.eat(b',')? {
                attributes.push(self.attribute()?);
            }
            self.expect(b';', "`,` or `;`")?;
        } else if promisee.is_some() {
            self.expect(b';', "an attribute or `;`")?;
        } else {
            self.expect(b';', "`->`, an attribute or `;`")?;
        }
        let span = promiser.span.to(self.last);
        Ok(Promise {
            promiser,
            promisee,
            attributes,
            span,
            agent_line,
        })
    }

    /// The current token, a string.
    pub(super) fn quoted(&mut self) -> Step<Text> {
        let Token::Quoted(value) = &self.next.token else {
            return self.unexpected("a string");
        };
        let text = Text {
            text: text::decode(value).into(),
            span: self.next.span,
        };
        self.advance()?;
        Ok(text)
    }
}
