//! Parses tokens to the syntax tree, by recursive descent.
//!
//! After a syntax error, parsing continues with the next block, so that one run reports an error in
//! each block.

mod block;
mod bundle;
mod value;

use crate::diagnostic::Diagnostic;
use crate::lexer::{Lexed, Lexer, Token};
use crate::source::{FileId, Source, Sources, Span};
use crate::text;
use crate::tree::{Context, Guard, Name, Policy};
use cfengine_protocol::release::Release;
use foldhash::fast::RandomState;
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// The most errors that are reported.
const MOST_ERRORS: usize = 20;

/// Parses a policy file as a release of CFEngine does.
pub fn parse(
    sources: &Sources,
    file: FileId,
    release: &Release,
) -> Result<Policy, Vec<Diagnostic>> {
    let source = sources.get(file);
    let mut parser = Parser {
        source,
        release,
        lexer: Lexer::new(source.bytes(), file, release),
        next: Lexed {
            token: Token::End,
            span: Span {
                file,
                start: 0,
                end: 0,
            },
            agent_line: 1,
        },
        last: Span {
            file,
            start: 0,
            end: 0,
        },
        namespace: "default".into(),
        words: HashMap::default(),
        policy: Policy::default(),
        errors: Vec::new(),
    };
    parser.blocks();
    if parser.errors.is_empty() {
        Ok(parser.policy)
    } else {
        Err(parser.errors)
    }
}

/// A parsing step; it fails at the first unexpected token.
type Step<T> = Result<T, Diagnostic>;

struct Parser<'a> {
    source: &'a Source,
    release: &'a Release,
    lexer: Lexer<'a>,
    /// The current token.
    next: Lexed<'a>,
    /// The place of the previous token.
    last: Span,
    namespace: Rc<str>,
    /// Interned words of the file, since most are repeated.
    words: HashMap<&'a [u8], Rc<str>, RandomState>,
    policy: Policy,
    errors: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn blocks(&mut self) {
        let mut step = self.advance();
        loop {
            if let Err(error) = step {
                self.errors.push(error);
                if self.errors.len() >= MOST_ERRORS || !self.skip_to_block() {
                    return;
                }
            }
            if self.next.token == Token::End {
                return;
            }
            step = self.block();
        }
    }

    /// Skips to a keyword at the start of a line; false at the end of the file.
    fn skip_to_block(&mut self) -> bool {
        let mut here = self.next.span.start;
        loop {
            // An invalid token ends the search: the tokens after it are probably wrong too.
            if self.advance().is_err() {
                return false;
            }
            let start = self.next.span.start;
            match self.next.token {
                Token::End => return false,
                Token::Bundle | Token::Body | Token::Promise
                    if start > here && self.source.position(start).column == 1 =>
                {
                    return true;
                }
                _ => here = start,
            }
        }
    }

    /// Advances to the next token.
    fn advance(&mut self) -> Step<()> {
        let next = self.lexer.next()?;
        self.last = self.next.span;
        self.next = next;
        Ok(())
    }

    fn raw(&self, span: Span) -> &'a [u8] {
        &self.source.bytes()[span.start as usize..span.end as usize]
    }

    /// The current token as a text.
    fn shown(&mut self) -> Rc<str> {
        let raw = self.raw(self.next.span);
        let word = self.words.entry(raw);
        word.or_insert_with(|| text::decode(raw).into()).clone()
    }

    fn unexpected<T>(&self, expected: &str) -> Step<T> {
        let found: Cow<'_, str> = match self.next.token {
            Token::End => "the end of the file".into(),
            Token::Quoted(_) => "a string".into(),
            _ => format!(
                "`{}`",
                text::decode(self.raw(self.next.span)).escape_debug()
            )
            .into(),
        };
        let guard = self.next.token == Token::Guard;
        let hint = if guard
            && self
                .raw(self.next.span)
                .windows(2)
                .any(|pair| pair == b": ")
        {
            " (a promise type and a class guard need lines of their own)"
        } else {
            ""
        };
        Err(Diagnostic::new(
            self.next.span,
            format!("expected {expected}, found {found}{hint}"),
        ))
    }

    fn at_byte(&self, byte: u8) -> bool {
        self.next.token == Token::Byte(byte)
    }

    /// Consumes a byte if it is the current token.
    fn eat(&mut self, byte: u8) -> Step<bool> {
        let there = self.at_byte(byte);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    fn expect(&mut self, byte: u8, expected: &str) -> Step<()> {
        if self.eat(byte)? {
            return Ok(());
        }
        self.unexpected(expected)
    }

    fn identifier(&mut self, expected: &str) -> Step<Name> {
        if self.next.token != Token::Identifier {
            return self.unexpected(expected);
        }
        let name = Name {
            text: self.shown(),
            span: self.next.span,
        };
        self.advance()?;
        Ok(name)
    }

    /// An attribute's name. Since 3.28 it may be two words with a dot between them.
    fn attribute_name(&mut self) -> Step<Name> {
        let mut name = self.identifier("an attribute")?;
        let dot = self.next.span;
        if self.release.allows_dotted_names && self.at_byte(b'.') && dot.start == name.span.end {
            self.advance()?;
            let second = self.identifier("the second word of the attribute's name")?;
            if second.span.start != dot.end {
                let message = "expected no blank in the attribute's name";
                return Err(Diagnostic::new(dot, message));
            }
            name = Name {
                text: format!("{}.{}", name.text, second.text).into(),
                span: name.span.to(second.span),
            };
        }
        Ok(name)
    }

    /// Consumes the current token, a guard.
    fn guard(&mut self, quoted: bool) -> Step<Guard> {
        let (guard, wrong) = Guard::read(self.raw(self.next.span), self.next.span, quoted);
        self.errors.extend(wrong);
        self.advance()?;
        Ok(guard)
    }
}

/// Adds an item under the current guard.
fn put<T>(contexts: &mut Vec<Context<T>>, item: T) {
    match contexts.last_mut() {
        Some(context) => context.items.push(item),
        None => contexts.push(Context {
            guard: None,
            items: vec![item],
        }),
    }
}

#[cfg(test)]
mod tests;
