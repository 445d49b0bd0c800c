//! A recursive descent parser of class expressions; [`MAX_DEPTH`] bounds the recursion.

use super::expression::{ClassError, Expression, Parsed, Part, Sigil};

/// How deep brackets and variables may be nested.
const MAX_DEPTH: usize = 500;

pub(super) struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

type Step<T> = Result<T, ClassError>;

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth: 0,
        }
    }

    pub(super) fn whole(mut self) -> Step<Parsed> {
        let expression = self.or()?;
        Ok(Parsed {
            expression,
            length: self.at,
        })
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn wrong<T>(&self, expected: &'static str) -> Step<T> {
        Err(ClassError {
            offset: self.at,
            expected,
        })
    }

    fn or(&mut self) -> Step<Expression> {
        let mut sides = vec![self.and()?];
        while self.peek() == Some(b'|') {
            self.at += 1;
            if self.peek() == Some(b'|') {
                self.at += 1;
            }
            sides.push(self.and()?);
        }
        Ok(one_or(sides, Expression::Or))
    }

    fn and(&mut self) -> Step<Expression> {
        let mut sides = vec![self.not()?];
        while matches!(self.peek(), Some(b'.' | b'&')) {
            self.at += 1;
            sides.push(self.not()?);
        }
        Ok(one_or(sides, Expression::And))
    }

    fn not(&mut self) -> Step<Expression> {
        if self.peek() != Some(b'!') {
            return self.primary();
        }
        self.at += 1;
        Ok(Expression::Not(Box::new(self.primary()?)))
    }

    fn primary(&mut self) -> Step<Expression> {
        if self.peek() != Some(b'(') {
            return self.name().map(Expression::Name);
        }
        self.deeper()?;
        self.at += 1;
        let inner = self.or()?;
        if self.peek() != Some(b')') {
            return self.wrong("`)`");
        }
        self.at += 1;
        self.depth -= 1;
        Ok(inner)
    }

    fn deeper(&mut self) -> Step<()> {
        if self.depth == MAX_DEPTH {
            return self.wrong("an expression less deep than 500 brackets");
        }
        self.depth += 1;
        Ok(())
    }

    /// Parses a name, which ends before a malformed variable.
    fn name(&mut self) -> Step<Vec<Part>> {
        let mut parts = vec![self.part()?];
        loop {
            let before = (self.at, self.depth);
            match self.part() {
                Ok(part) => parts.push(part),
                Err(_) => {
                    (self.at, self.depth) = before;
                    return Ok(parts);
                }
            }
        }
    }

    fn part(&mut self) -> Step<Part> {
        let length = self.text_length();
        if length > 0 {
            let text = &self.text[self.at..self.at + length];
            self.at += length;
            return Ok(Part::Text(text.into()));
        }
        self.variable()
    }

    fn text_length(&self) -> usize {
        let mut in_index = false;
        self.bytes[self.at..]
            .iter()
            .position(|byte| {
                match byte {
                    b'[' => in_index = true,
                    b']' => in_index = false,
                    b' ' => return !in_index,
                    _ => return !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':')),
                }
                false
            })
            .unwrap_or(self.bytes.len() - self.at)
    }

    fn variable(&mut self) -> Step<Part> {
        let sigil = match self.peek() {
            Some(b'$') => Sigil::Scalar,
            Some(b'@') => Sigil::List,
            _ => return self.wrong("a class name"),
        };
        let close = match self.bytes.get(self.at + 1) {
            Some(b'(') => b')',
            Some(b'{') => b'}',
            _ => return self.wrong("`(` or `{` after `$` or `@`"),
        };
        self.deeper()?;
        self.at += 2;
        let mut name = self.name()?;
        if self.peek() == Some(b'.') {
            self.at += 1;
            name.push(Part::Text(".".into()));
            name.extend(self.name()?);
        }
        if self.peek() != Some(close) {
            return self.wrong("the variable's closing bracket");
        }
        self.at += 1;
        self.depth -= 1;
        Ok(Part::Variable { sigil, name })
    }
}

fn one_or(mut sides: Vec<Expression>, many: fn(Vec<Expression>) -> Expression) -> Expression {
    if sides.len() == 1 {
        sides.remove(0)
    } else {
        many(sides)
    }
}
