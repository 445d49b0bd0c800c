//! Reads a pattern as Ruby does.

use super::Fault;
use super::node::{How, Node};

pub(super) type Parsed<T> = Result<T, Fault>;

/// Groups and classes nested deeper than this are not tried.
const MAX_DEPTH: usize = 100;

pub(super) fn invalid(message: &str) -> Fault {
    Fault::Invalid(message.to_owned())
}

pub(super) fn unsupported(what: &str) -> Fault {
    Fault::Unsupported(what.to_owned())
}

/// The tree of a pattern, and the names of its groups in order, each once.
pub(super) fn parse(source: &str) -> Parsed<(Node, Vec<String>)> {
    let mut parser = Parser {
        characters: source.chars().collect(),
        source: source.to_owned(),
        at: 0,
        depth: 0,
        groups: 0,
        names: Vec::new(),
        numbered: Vec::new(),
        named: Vec::new(),
        has_names: has_named_groups(source),
        insensitive: false,
    };
    let tree = parser.alternatives(Flags::default())?;
    if parser.at < parser.characters.len() {
        return Err(invalid("unmatched close parenthesis"));
    }
    for number in &parser.numbered {
        if *number > parser.groups {
            return Err(invalid("invalid backref number/name"));
        }
    }
    for name in &parser.named {
        if !parser.names.contains(name) {
            return Err(Fault::Invalid(format!("undefined name <{name}> reference")));
        }
    }
    Ok((tree, parser.names))
}

/// Is there a named group? Then plain groups do not capture.
fn has_named_groups(source: &str) -> bool {
    let bytes = source.as_bytes();
    let mut at = 0;
    let mut in_class = 0usize;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'[' => in_class += 1,
            b']' => in_class = in_class.saturating_sub(1),
            b'(' if in_class == 0 => {
                let rest = &bytes[at + 1..];
                let angle =
                    rest.starts_with(b"?<") && !matches!(rest.get(2), Some(b'=' | b'!') | None);
                if angle || rest.starts_with(b"?'") {
                    return true;
                }
            }
            _ => {}
        }
        at += 1;
    }
    false
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flags {
    pub(super) insensitive: bool,
    pub(super) multiline: bool,
    pub(super) extended: bool,
}

pub(super) struct Parser {
    pub(super) characters: Vec<char>,
    source: String,
    pub(super) at: usize,
    depth: usize,
    pub(super) groups: u32,
    pub(super) names: Vec<String>,
    pub(super) numbered: Vec<u32>,
    pub(super) named: Vec<String>,
    pub(super) has_names: bool,
    /// Does case not matter at this place?
    pub(super) insensitive: bool,
}

impl Parser {
    pub(super) fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let found = self.peek();
        self.at += usize::from(found.is_some());
        found
    }

    pub(super) fn eat(&mut self, character: char) -> bool {
        let found = self.peek() == Some(character);
        self.at += usize::from(found);
        found
    }

    /// The text from here on.
    pub(super) fn rest(&self) -> &str {
        let start: usize = self.characters[..self.at]
            .iter()
            .map(|character| character.len_utf8())
            .sum();
        &self.source[start..]
    }

    /// Does the character occur again behind the next one?
    pub(super) fn rest_has(&self, character: char) -> bool {
        self.characters
            .iter()
            .skip(self.at + 1)
            .any(|&one| one == character)
    }

    pub(super) fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(unsupported("nested too deep"));
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Up to the closing parenthesis, or the end.
    pub(super) fn alternatives(&mut self, flags: Flags) -> Parsed<Node> {
        self.enter()?;
        let mut all = Vec::new();
        let mut sequence = Vec::new();
        loop {
            match self.peek() {
                None | Some(')') => break,
                Some('|') => {
                    self.next();
                    all.push(seq(std::mem::take(&mut sequence)));
                }
                Some(_) => self.piece(flags, &mut sequence)?,
            }
        }
        self.leave();
        all.push(seq(sequence));
        Ok(if all.len() == 1 {
            all.swap_remove(0)
        } else {
            Node::Alt(all)
        })
    }

    fn piece(&mut self, flags: Flags, sequence: &mut Vec<Node>) -> Parsed<()> {
        if flags.extended && self.skip_extended() {
            return Ok(());
        }
        if self.skip_comment()? {
            return Ok(());
        }
        self.insensitive = flags.insensitive;
        let Some(atom) = self.atom(flags)? else {
            return Ok(());
        };
        let mut node = atom;
        loop {
            if flags.extended && self.skip_extended() || self.skip_comment()? {
                continue;
            }
            let Some((min, max, how)) = self.quantifier()? else {
                break;
            };
            node = Node::Repeat {
                node: Box::new(node),
                min,
                max,
                how,
            };
        }
        sequence.push(node);
        Ok(())
    }

    /// Blanks and comments, which the option `x` drops.
    fn skip_extended(&mut self) -> bool {
        match self.peek() {
            Some(' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c') => {
                self.next();
                true
            }
            Some('#') => {
                while !matches!(self.next(), None | Some('\n')) {}
                true
            }
            _ => false,
        }
    }

    /// `(?#…)`
    pub(super) fn skip_comment(&mut self) -> Parsed<bool> {
        let begins = |at: usize, sign: char| self.peek_at(at) == Some(sign);
        if !(begins(0, '(') && begins(1, '?') && begins(2, '#')) {
            return Ok(false);
        }
        self.at += 3;
        loop {
            match self.next() {
                Some('\\') => {
                    self.next();
                }
                Some(')') => return Ok(true),
                Some(_) => {}
                None => return Err(invalid("end pattern in group")),
            }
        }
    }

    fn quantifier(&mut self) -> Parsed<Option<(u32, Option<u32>, How)>> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.interval(),
            _ => return Ok(None),
        };
        self.next();
        let how = if self.eat('?') {
            How::Lazy
        } else if self.eat('+') {
            How::Possessive
        } else {
            How::Greedy
        };
        Ok(Some((min, max, how)))
    }

    /// `{n}`, `{n,}`, `{,m}`, `{n,m}`. Anything else is plain text. A `+` behind it repeats it.
    fn interval(&mut self) -> Parsed<Option<(u32, Option<u32>, How)>> {
        let start = self.at;
        self.next();
        let low = self.digits();
        let comma = self.eat(',');
        let high = if comma { self.digits() } else { low.clone() };
        if !self.eat('}') || low.is_empty() && high.is_empty() {
            self.at = start;
            return Ok(None);
        }
        let number = |digits: &str| match digits.parse::<u32>() {
            Ok(number) if number <= 100_000 => Ok(number),
            _ => Err(invalid("too big number for repeat range")),
        };
        let min = if low.is_empty() { 0 } else { number(&low)? };
        let max = if high.is_empty() {
            None
        } else {
            Some(number(&high)?)
        };
        if max.is_some_and(|max| max < min) {
            return Err(invalid("upper is smaller than lower in repeat range"));
        }
        // Behind `{n}`, a `?` makes it optional instead.
        let how = if comma && self.eat('?') {
            How::Lazy
        } else {
            How::Greedy
        };
        Ok(Some((min, max, how)))
    }

    pub(super) fn digits(&mut self) -> String {
        let mut digits = String::new();
        while let Some(digit) = self.peek().filter(char::is_ascii_digit) {
            digits.push(digit);
            self.next();
        }
        digits
    }

    fn atom(&mut self, flags: Flags) -> Parsed<Option<Node>> {
        let Some(character) = self.peek() else {
            return Ok(None);
        };
        Ok(Some(match character {
            '*' | '+' | '?' => {
                return Err(invalid("target of repeat operator is not specified"));
            }
            '{' => {
                let start = self.at;
                if self.interval()?.is_some() {
                    return Err(invalid("target of repeat operator is not specified"));
                }
                self.at = start + 1;
                Node::Char('{')
            }
            '(' => {
                self.next();
                return self.group(flags);
            }
            '[' => {
                self.next();
                Node::Class(self.class()?)
            }
            '\\' => {
                self.next();
                self.escape()?
            }
            other => {
                self.next();
                match other {
                    '.' => Node::Any(flags.multiline),
                    '^' => Node::LineStart,
                    '$' => Node::LineEnd,
                    other => Node::Char(other),
                }
            }
        }))
    }
}

fn seq(mut nodes: Vec<Node>) -> Node {
    match nodes.len() {
        0 => Node::Empty,
        1 => nodes.swap_remove(0),
        _ => Node::Seq(nodes),
    }
}
