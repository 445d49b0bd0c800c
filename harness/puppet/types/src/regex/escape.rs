//! What follows a backslash.

use super::Fault;
use super::node::{Node, Reference};
use super::parse::{Parsed, Parser, invalid, unsupported};
use super::property::shorthand;

impl Parser {
    pub(super) fn escape(&mut self) -> Parsed<Node> {
        let Some(letter) = self.peek() else {
            return Err(invalid("too short escape sequence"));
        };
        if let Some(inside) = shorthand(letter) {
            self.next();
            let caret = if letter.is_ascii_uppercase() { "^" } else { "" };
            return Ok(Node::Exact(format!("[{caret}{inside}]")));
        }
        let simple = match letter {
            'A' => Some(Node::TextStart),
            'z' => Some(Node::TextEnd),
            'Z' => Some(Node::TextEndOrNewline),
            'b' => Some(Node::Boundary { inside: false }),
            'B' => Some(Node::Boundary { inside: true }),
            'K' => Some(Node::Keep),
            'R' => Some(Node::Atomic(Box::new(Node::Alt(vec![
                Node::Seq(vec![Node::Char('\r'), Node::Char('\n')]),
                Node::Exact(r"[\n\x0b\x0c\r\x{85}\x{2028}\x{2029}]".to_owned()),
            ])))),
            _ => None,
        };
        if let Some(node) = simple {
            self.next();
            return Ok(node);
        }
        match letter {
            'G' | 'X' => Err(Fault::Unsupported(format!("`\\{letter}`"))),
            'p' | 'P' => {
                self.next();
                let inside = self.property(letter == 'P')?;
                Ok(Node::Class(format!("[{inside}]")))
            }
            'k' => {
                self.next();
                self.back_reference()
            }
            'g' => {
                self.next();
                let name = self.reference_name()?;
                if !name.starts_with(|first: char| first.is_alphabetic() || first == '_') {
                    return Err(unsupported("a call of a group by its number"));
                }
                self.named.push(name.clone());
                Ok(Node::Call(name))
            }
            '1'..='9' => {
                let start = self.at;
                let digits = self.digits();
                let number: u32 = digits.parse().unwrap_or(u32::MAX);
                if number <= 9 || number <= self.groups {
                    if self.has_names {
                        let message = "numbered backref/call is not allowed. (use name)";
                        return Err(invalid(message));
                    }
                    self.numbered.push(number);
                    return Ok(Node::Back(Reference::Number(number)));
                }
                self.at = start;
                Ok(Node::Char(self.character_escape()?))
            }
            _ => Ok(Node::Char(self.character_escape()?)),
        }
    }

    fn reference_name(&mut self) -> Parsed<String> {
        let end = match self.next() {
            Some('<') => '>',
            Some('\'') => '\'',
            _ => return Err(unsupported("a reference without a name")),
        };
        let mut name = String::new();
        loop {
            match self.next() {
                Some(character) if character == end => return Ok(name),
                Some(character) => name.push(character),
                None => return Err(invalid("invalid group name <>")),
            }
        }
    }

    fn back_reference(&mut self) -> Parsed<Node> {
        let name = self.reference_name()?;
        if let Ok(number) = name.parse::<u32>() {
            if self.has_names {
                let message = "numbered backref/call is not allowed. (use name)";
                return Err(invalid(message));
            }
            self.numbered.push(number);
            return Ok(Node::Back(Reference::Number(number)));
        }
        if name.contains(['+', '-']) {
            return Err(unsupported("a reference relative to its place"));
        }
        self.named.push(name.clone());
        Ok(Node::Back(Reference::Name(name)))
    }

    /// A character behind a backslash.
    pub(super) fn character_escape(&mut self) -> Parsed<char> {
        let Some(letter) = self.next() else {
            return Err(invalid("too short escape sequence"));
        };
        Ok(match letter {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\x0c',
            'v' => '\x0b',
            'a' => '\x07',
            'e' => '\x1b',
            'x' => self.code(16, 2)?,
            'u' if self.eat('{') => {
                let mut digits = String::new();
                loop {
                    match self.next() {
                        Some('}') => break,
                        Some(' ') => return Err(unsupported("several characters in `\\u{…}`")),
                        Some(digit) if digit.is_ascii_hexdigit() => digits.push(digit),
                        _ => return Err(invalid("invalid Unicode list")),
                    }
                }
                character(&digits, 16)?
            }
            'u' => {
                let mut digits = String::new();
                while digits.len() < 4 {
                    match self.next() {
                        Some(digit) if digit.is_ascii_hexdigit() => digits.push(digit),
                        _ => return Err(invalid("invalid Unicode escape")),
                    }
                }
                character(&digits, 16)?
            }
            '0'..='7' => {
                self.at -= 1;
                self.code(8, 3)?
            }
            'c' => self.control()?,
            'C' if self.eat('-') => self.control()?,
            'C' => return Err(invalid("too short control sequence")),
            'M' => return Err(unsupported("a meta character")),
            other => other,
        })
    }

    fn control(&mut self) -> Parsed<char> {
        match self.next() {
            Some('?') => Ok('\x7f'),
            Some('\\') | None => Err(unsupported("a control character")),
            Some(other) if other.is_ascii() => Ok(char::from(other as u8 & 0x1f)),
            Some(_) => Err(unsupported("a control character")),
        }
    }

    fn code(&mut self, radix: u32, most: usize) -> Parsed<char> {
        let mut digits = String::new();
        while digits.len() < most
            && let Some(digit) = self.peek().filter(|one| one.is_digit(radix))
        {
            digits.push(digit);
            self.next();
        }
        if digits.is_empty() {
            return Err(invalid("invalid hex escape"));
        }
        let found = character(&digits, radix)?;
        if !found.is_ascii() {
            return Err(invalid("invalid multibyte escape"));
        }
        Ok(found)
    }
}

fn character(digits: &str, radix: u32) -> Parsed<char> {
    u32::from_str_radix(digits, radix)
        .ok()
        .and_then(char::from_u32)
        .ok_or_else(|| invalid("invalid Unicode range"))
}
