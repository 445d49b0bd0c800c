//! Classes in brackets.

use super::Fault;
use super::emit::literal;
use super::parse::{Parsed, Parser, invalid, unsupported};
use super::property::{posix, property, shorthand};

/// A member of a class: one character, which can begin a range, or several.
enum Member {
    One(char),
    Many(String),
}

impl Parser {
    /// A class whose opening bracket is read. The result is written for the engine.
    pub(super) fn class(&mut self) -> Parsed<String> {
        self.enter()?;
        let negated = self.eat('^');
        let mut parts: Vec<String> = Vec::new();
        let mut part = String::new();
        // The first bracket is itself if another one closes the class.
        if self.peek() == Some(']') {
            if !self.rest_has(']') {
                return Err(invalid("empty char-class"));
            }
            self.next();
            self.range_from(']', &mut part)?;
        }
        loop {
            match self.peek() {
                None => return Err(invalid("premature end of char-class")),
                Some(']') => {
                    self.next();
                    break;
                }
                Some('&') if self.peek_at(1) == Some('&') => {
                    self.next();
                    self.next();
                    parts.push(std::mem::take(&mut part));
                }
                Some(_) => match self.member()? {
                    Member::Many(inside) => part.push_str(&inside),
                    Member::One(character) => self.range_from(character, &mut part)?,
                },
            }
        }
        self.leave();
        parts.push(part);
        let empty = |part: &String| part.is_empty();
        if parts.len() > 1 && parts.iter().any(empty) {
            return Err(unsupported("an intersection with nothing"));
        }
        let caret = if negated { "^" } else { "" };
        Ok(if parts.len() == 1 {
            format!("[{caret}{}]", parts[0])
        } else {
            let parts: Vec<String> = parts.iter().map(|part| format!("[{part}]")).collect();
            format!("[{caret}{}]", parts.join("&&"))
        })
    }

    /// A character, or the range that it begins.
    fn range_from(&mut self, from: char, part: &mut String) -> Parsed<()> {
        let is_range = self.peek() == Some('-') && !matches!(self.peek_at(1), None | Some(']'));
        // `a-&&` is no range.
        let cut = self.peek_at(1) == Some('&') && self.peek_at(2) == Some('&');
        if !is_range || cut {
            literal(from, part);
            return Ok(());
        }
        self.next();
        if self.peek() == Some('[') {
            return Err(unsupported("a class at the end of a range"));
        }
        match self.member()? {
            Member::Many(_) => Err(invalid("char-class value at end of range")),
            Member::One(to) if to < from => Err(invalid("empty range in char class")),
            Member::One(to) => {
                literal(from, part);
                part.push('-');
                literal(to, part);
                Ok(())
            }
        }
    }

    fn member(&mut self) -> Parsed<Member> {
        let Some(character) = self.next() else {
            return Err(invalid("premature end of char-class"));
        };
        match character {
            '[' if self.peek() == Some(':') => match self.posix_bracket()? {
                Some(inside) => Ok(Member::Many(inside)),
                None => Ok(Member::Many(self.class()?)),
            },
            '[' => Ok(Member::Many(self.class()?)),
            '\\' => self.class_escape(),
            other => Ok(Member::One(other)),
        }
    }

    /// `[:name:]`, if it is one.
    fn posix_bracket(&mut self) -> Parsed<Option<String>> {
        let rest = self.rest();
        let inner = rest.get(1..).unwrap_or_default();
        // The first colon or bracket ends the name, if it is not too far away.
        let end = inner.char_indices().take(22);
        let Some((end, ':')) = end.into_iter().find(|(_, one)| matches!(one, ':' | ']')) else {
            return Ok(None);
        };
        if !inner[end..].starts_with(":]") {
            if inner[end..].starts_with("::") && posix(&inner[..end]).is_some() {
                return Err(invalid("invalid POSIX bracket type"));
            }
            return Ok(None);
        }
        let inner = &inner[..end];
        let (negated, name) = match inner.strip_prefix('^') {
            Some(name) => (true, name),
            None => (false, inner),
        };
        let Some(inside) = posix(name) else {
            return Err(invalid("invalid POSIX bracket type"));
        };
        let characters = inner.chars().count() + 3;
        let found = if negated {
            self.negated_name()?;
            format!("[^{inside}]")
        } else {
            inside.to_owned()
        };
        for _ in 0..characters {
            self.next();
        }
        Ok(Some(found))
    }

    fn class_escape(&mut self) -> Parsed<Member> {
        let Some(letter) = self.peek() else {
            return Err(invalid("end pattern at escape"));
        };
        if let Some(inside) = shorthand(letter) {
            self.next();
            return Ok(Member::Many(if letter.is_ascii_uppercase() {
                self.negated_name()?;
                format!("[^{inside}]")
            } else {
                inside.to_owned()
            }));
        }
        match letter {
            'p' | 'P' => {
                self.next();
                Ok(Member::Many(self.property(letter == 'P')?))
            }
            'b' => {
                self.next();
                Ok(Member::One('\x08'))
            }
            'R' | 'X' => {
                self.next();
                Ok(Member::One(letter))
            }
            _ => Ok(Member::One(self.character_escape()?)),
        }
    }

    /// `{name}` or `{^name}` behind `\p` or `\P`.
    pub(super) fn property(&mut self, upper: bool) -> Parsed<String> {
        if !self.eat('{') {
            return Err(unsupported("a property without braces"));
        }
        let caret = self.eat('^');
        let mut name = String::new();
        loop {
            match self.next() {
                Some('}') => break,
                Some(character) => name.push(character),
                None => return Err(invalid("invalid character property name {p}")),
            }
        }
        let odd = |one: char| !(one.is_ascii_alphanumeric() || matches!(one, '_' | ' ' | '-'));
        if name.is_empty() || name.contains(odd) {
            let message = format!("invalid character property name {{{name}}}");
            return Err(Fault::Invalid(message));
        }
        let inside = property(&name);
        if !super::property::is_known(&inside) {
            return Err(Fault::Unsupported(format!("the property {name}")));
        }
        Ok(if upper == caret {
            inside
        } else {
            self.negated_name()?;
            format!("[^{inside}]")
        })
    }

    /// Which cases of a letter a negated class of names leaves out is Ruby's own matter.
    fn negated_name(&self) -> Parsed<()> {
        if self.insensitive {
            return Err(unsupported("a negated class of names without case"));
        }
        Ok(())
    }
}
