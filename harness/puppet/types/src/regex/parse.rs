//! Reads a pattern as Ruby does.

use super::Fault;
use super::node::{How, Node, Reference};
use super::property::shorthand;

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
struct Flags {
    insensitive: bool,
    multiline: bool,
    extended: bool,
}

pub(super) struct Parser {
    characters: Vec<char>,
    source: String,
    at: usize,
    depth: usize,
    groups: u32,
    names: Vec<String>,
    numbered: Vec<u32>,
    named: Vec<String>,
    has_names: bool,
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
    fn alternatives(&mut self, flags: Flags) -> Parsed<Node> {
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
    fn skip_comment(&mut self) -> Parsed<bool> {
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

    fn digits(&mut self) -> String {
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

    fn group(&mut self, flags: Flags) -> Parsed<Option<Node>> {
        if !self.eat('?') {
            if self.has_names {
                return self.close(flags).map(Some);
            }
            self.groups += 1;
            let node = Box::new(self.close(flags)?);
            return Ok(Some(Node::Group { name: None, node }));
        }
        let Some(kind) = self.next() else {
            return Err(invalid("end pattern in group"));
        };
        let look = |behind, negative, node| {
            Some(Node::Look {
                behind,
                negative,
                node: Box::new(node),
            })
        };
        Ok(match kind {
            ':' => Some(self.close(flags)?),
            '=' => look(false, false, self.close(flags)?),
            '!' => look(false, true, self.close(flags)?),
            '>' => Some(Node::Atomic(Box::new(self.close(flags)?))),
            '~' => return Err(unsupported("an absence operator")),
            '(' => return Err(unsupported("a condition")),
            '<' if matches!(self.peek(), Some('=' | '!')) => {
                let negative = self.next() == Some('!');
                let node = self.close(flags)?;
                if !super::behind::is_valid(&node, negative) {
                    return Err(invalid("invalid pattern in look-behind"));
                }
                look(true, negative, node)
            }
            '<' => Some(self.named('>', flags)?),
            '\'' => Some(self.named('\'', flags)?),
            other => return self.flags(other, flags),
        })
    }

    /// The inside of a group, and its closing parenthesis.
    fn close(&mut self, flags: Flags) -> Parsed<Node> {
        let node = self.alternatives(flags)?;
        if !self.eat(')') {
            return Err(invalid("end pattern with unmatched parenthesis"));
        }
        Ok(node)
    }

    fn named(&mut self, end: char, flags: Flags) -> Parsed<Node> {
        let mut name = String::new();
        loop {
            match self.next() {
                Some(character) if character == end => break,
                Some(character) => name.push(character),
                None => return Err(Fault::Invalid(format!("invalid group name <{name}>"))),
            }
        }
        let bad = |first: char| first.is_ascii_digit() || first == '-';
        if name.is_empty() {
            return Err(invalid("group name is empty"));
        }
        if name.starts_with(bad) || name.contains(')') {
            return Err(Fault::Invalid(format!("invalid group name <{name}>")));
        }
        if !self.names.contains(&name) {
            self.names.push(name.clone());
        }
        self.groups += 1;
        let node = Box::new(self.close(flags)?);
        let name = Some(name);
        Ok(Node::Group { name, node })
    }

    /// `(?imx-imx)` up to the end of the group around it, alternatives included, or
    /// `(?imx-imx:…)`.
    fn flags(&mut self, first: char, outer: Flags) -> Parsed<Option<Node>> {
        let mut flags = outer;
        let mut on = true;
        let mut encoding = false;
        let mut letter = first;
        if first == ')' {
            return Err(invalid("undefined group option"));
        }
        loop {
            match letter {
                'i' => flags.insensitive = on,
                'm' => flags.multiline = on,
                'x' => flags.extended = on,
                '-' => on = false,
                'd' if on => {}
                'a' | 'u' if on => encoding = true,
                ')' | ':' if encoding => {
                    return Err(unsupported("an option for ASCII or Unicode"));
                }
                ')' => {
                    let node = self.alternatives(flags)?;
                    return Ok(Some(cased(outer, flags, node)));
                }
                ':' => {
                    let node = self.close(flags)?;
                    return Ok(Some(cased(outer, flags, node)));
                }
                _ => return Err(invalid("undefined group option")),
            }
            match self.next() {
                Some(next) => letter = next,
                None => return Err(invalid("end pattern in group")),
            }
        }
    }

    fn escape(&mut self) -> Parsed<Node> {
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

fn seq(mut nodes: Vec<Node>) -> Node {
    match nodes.len() {
        0 => Node::Empty,
        1 => nodes.swap_remove(0),
        _ => Node::Seq(nodes),
    }
}

fn cased(outer: Flags, inner: Flags, node: Node) -> Node {
    if outer.insensitive == inner.insensitive {
        return node;
    }
    Node::Case {
        ignored: inner.insensitive,
        node: Box::new(node),
    }
}
