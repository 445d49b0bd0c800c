//! Splits bytes into tokens as cf-agent does: the longest match wins, regardless of what the parser
//! expects.

mod quoted;
mod scan;

use crate::diagnostic::Diagnostic;
use crate::macros::Condition;
use crate::source::{FileId, Span};
use cfengine_protocol::release::Release;
use std::borrow::Cow;

/// The shortest name that cf-agent refuses, in bytes.
const LONGEST_NAME: usize = 1023;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    Bundle,
    Body,
    Promise,
    /// A word, perhaps with a namespace.
    Identifier,
    /// A string with its escapes resolved.
    Quoted(Cow<'a, [u8]>),
    /// `expression::`
    Guard,
    /// `"expression"::`
    QuotedGuard,
    /// `vars:`
    Section,
    /// An unquoted `$(x)` or `@(x)`.
    Variable,
    FatArrow,
    ThinArrow,
    /// Any other byte.
    Byte(u8),
    End,
}

/// A token and its place.
#[derive(Clone, Debug)]
pub(crate) struct Lexed<'a> {
    pub(crate) token: Token<'a>,
    pub(crate) span: Span,
    /// The line of its end by cf-agent's count. Lines that an `@if` excludes do not count; lines
    /// that end in CR LF count twice.
    pub(crate) agent_line: u32,
}

pub(crate) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    file: FileId,
    release: &'a Release,
    agent_line: u32,
    /// Whether the line has only comments and macros so far.
    fresh_line: bool,
    inside_if: bool,
    run: Run,
}

/// The last scanned run of guard bytes. It avoids scanning a long run again for each of its tokens.
#[derive(Default)]
struct Run {
    end: usize,
    /// The offset after the last `::` in the run.
    colons: usize,
}

type Scanned<T> = Result<T, Diagnostic>;

impl<'a> Lexer<'a> {
    pub(crate) fn new(bytes: &'a [u8], file: FileId, release: &'a Release) -> Self {
        Self {
            bytes,
            at: 0,
            file,
            release,
            agent_line: 1,
            fresh_line: true,
            inside_if: false,
            run: Run::default(),
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span {
            file: self.file,
            start: start as u32,
            end: end as u32,
        }
    }

    fn wrong<T>(&self, length: usize, message: impl Into<String>) -> Scanned<T> {
        let end = (self.at + length).min(self.bytes.len());
        Err(Diagnostic::new(self.span(self.at, end), message))
    }

    pub(crate) fn next(&mut self) -> Scanned<Lexed<'a>> {
        loop {
            let rest = &self.bytes[self.at..];
            match rest {
                [] => return self.end(),
                [b'\n', ..] => self.newline(1),
                [b'\r', b'\n', ..] => {
                    self.agent_line += 1;
                    self.newline(2);
                }
                [b' ' | b'\t', ..] => {
                    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
                    let blanks = rest.iter().position(|byte| !blank(byte));
                    self.at += blanks.unwrap_or(rest.len());
                    self.fresh_line = false;
                }
                [b'#', ..] => self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
                [b'@', ..] => {
                    if !self.macro_line()? {
                        return self.token();
                    }
                }
                _ => return self.token(),
            }
        }
    }

    fn newline(&mut self, length: usize) {
        self.at += length;
        self.agent_line += 1;
        self.fresh_line = true;
    }

    fn end(&self) -> Scanned<Lexed<'a>> {
        if self.inside_if {
            return self.wrong(0, "expected `@endif`, found the end of the file");
        }
        Ok(Lexed {
            token: Token::End,
            span: self.span(self.at, self.at),
            agent_line: self.agent_line,
        })
    }

    /// Consumes a macro, if there is one.
    fn macro_line(&mut self) -> Scanned<bool> {
        let rest = &self.bytes[self.at..];
        if let Some((condition, length)) = Condition::read(rest) {
            self.at_line_start(length)?;
            if self.inside_if {
                return self.wrong(length, "`@if` inside `@if` is not allowed");
            }
            self.inside_if = true;
            self.at += length;
            if !condition.holds(self.release) {
                self.leave_out()?;
            }
        } else if rest.starts_with(b"@else") {
            if !self.inside_if {
                return self.wrong(5, "`@else` without `@if`");
            }
            self.at += 5;
            self.leave_out()?;
        } else if rest.starts_with(b"@endif") {
            self.at_line_start(6)?;
            if !self.inside_if {
                return self.wrong(6, "`@endif` without `@if`");
            }
            self.at += 6;
            self.inside_if = false;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn at_line_start(&self, length: usize) -> Scanned<()> {
        if self.fresh_line {
            return Ok(());
        }
        self.wrong(length, "a macro must stand at the beginning of its line")
    }

    /// Skips to `@else` or `@endif`; other text that starts with `@` is skipped too.
    fn leave_out(&mut self) -> Scanned<()> {
        loop {
            let rest = &self.bytes[self.at..];
            if rest.is_empty() {
                return self.wrong(0, "expected `@endif`, found the end of the file");
            } else if rest.starts_with(b"@else") {
                self.at += 5;
                return Ok(());
            } else if rest.starts_with(b"@endif") {
                self.at += 6;
                self.inside_if = false;
                return Ok(());
            } else if matches!(rest[0], b'@' | b'\n' | b'\r') {
                self.at += 1;
            } else {
                self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            }
        }
    }

    fn token(&mut self) -> Scanned<Lexed<'a>> {
        let start = self.at;
        let (token, length) = self.longest()?;
        self.at += length;
        self.fresh_line = false;
        Ok(Lexed {
            token,
            span: self.span(start, self.at),
            agent_line: self.agent_line,
        })
    }

    fn longest(&mut self) -> Scanned<(Token<'a>, usize)> {
        let rest = &self.bytes[self.at..];
        // If a guard matches, it is the longest match.
        if let Some(length) = self.guard() {
            return self.checked_guard(length);
        }
        Ok(match rest {
            [b'=', b'>', ..] => (Token::FatArrow, 2),
            [b'-', b'>', ..] => (Token::ThinArrow, 2),
            [b'"' | b'\'' | b'`', ..] => return self.string(),
            [sign @ (b'$' | b'@'), ..] => match scan::variable(rest) {
                Some(length) => (Token::Variable, length),
                None => (Token::Byte(*sign), 1),
            },
            // cf-agent's lexer uses zero as the token of the end.
            [] | [0, ..] => (Token::End, 0),
            [first, ..] => return self.word(*first),
        })
    }

    fn guard(&mut self) -> Option<usize> {
        if !scan::is_guard(*self.bytes.get(self.at)?) {
            return None;
        }
        if self.at >= self.run.end {
            let rest = &self.bytes[self.at..];
            let length = rest
                .iter()
                .position(|b| !(scan::is_guard(*b) || matches!(b, b' ' | b'\t')))
                .unwrap_or(rest.len());
            let colons = rest[..length].windows(2).rposition(|pair| pair == b"::");
            let colons = colons.map_or(0, |at| at + 2);
            self.run = Run {
                end: self.at + length,
                colons: self.at + colons,
            };
        }
        (self.run.colons >= self.at + 3).then(|| self.run.colons - self.at)
    }

    fn checked_guard(&self, length: usize) -> Scanned<(Token<'a>, usize)> {
        let text = &self.bytes[self.at..self.at + length];
        if crate::class::has_inner_blank(text) {
            return self.wrong(length, "class names with a blank and no operator between");
        }
        Ok((Token::Guard, length))
    }

    fn string(&mut self) -> Scanned<(Token<'a>, usize)> {
        let rest = &self.bytes[self.at..];
        // The fast path: most strings have no escapes, NULs or line ends.
        if let Some(length) = scan::plain(rest) {
            return Ok((Token::Quoted(rest[1..length - 1].into()), length));
        }
        let whole = scan::quoted(rest);
        if let Some(length) = scan::quoted_guard(rest).filter(|guard| Some(*guard) > whole) {
            return Ok((Token::QuotedGuard, length));
        }
        let Some(length) = whole else {
            return self.wrong(1, "a string that does not end");
        };
        let Some(quoted) = quoted::unescape(&rest[..length]) else {
            return self.wrong(length, "a string that does not end");
        };
        let lines = memchr::memchr_iter(b'\n', &rest[..length]).count();
        self.agent_line += lines as u32;
        Ok((Token::Quoted(quoted.value.into()), quoted.length))
    }

    fn word(&self, first: u8) -> Scanned<(Token<'a>, usize)> {
        let rest = &self.bytes[self.at..];
        let length = scan::identifier(rest);
        if let Some(section) = scan::section(rest).filter(|section| *section > length) {
            return Ok((Token::Section, section));
        }
        match &rest[..length] {
            [] => Ok((Token::Byte(first), 1)),
            b"bundle" => Ok((Token::Bundle, length)),
            b"body" => Ok((Token::Body, length)),
            b"promise" => Ok((Token::Promise, length)),
            _ if length > LONGEST_NAME => self.wrong(length, "a name longer than 1023 bytes"),
            _ => Ok((Token::Identifier, length)),
        }
    }
}

#[cfg(test)]
mod tests;
