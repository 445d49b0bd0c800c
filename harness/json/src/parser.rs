//! A recursive descent parser over bytes, with a depth limit of [`MAX_DEPTH`].

use crate::error::{JsonError, JsonErrorKind as Kind, MAX_DEPTH};
use crate::value::{Json, Member, Text};

type Parsed<T> = Result<T, JsonError>;

pub(super) struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    raw_strings: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn strict(bytes: &'a [u8], start: usize) -> Self {
        Self {
            bytes,
            at: start.min(bytes.len()),
            depth: 0,
            raw_strings: false,
        }
    }

    pub(super) fn lenient(bytes: &'a [u8]) -> Self {
        Self {
            raw_strings: true,
            ..Self::strict(bytes, 0)
        }
    }

    pub(super) fn whole(mut self) -> Parsed<Json> {
        let json = self.first_value()?;
        self.blanks();
        if self.at < self.bytes.len() {
            return Err(self.wrong(Kind::TrailingText));
        }
        Ok(json)
    }

    pub(super) fn prefix(mut self) -> Parsed<(Json, usize)> {
        let json = self.first_value()?;
        Ok((json, self.at))
    }

    fn first_value(&mut self) -> Parsed<Json> {
        self.blanks();
        if self.rest().starts_with(b"\xef\xbb\xbf") {
            return Err(self.error(Kind::ByteOrderMark));
        }
        self.value()
    }

    fn value(&mut self) -> Parsed<Json> {
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            _ => Err(self.wrong(Kind::Expected("a value"))),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Parsed<Json>) -> Parsed<Json> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(Kind::TooDeep));
        }
        self.depth += 1;
        self.at += 1; // the opening bracket
        self.blanks();
        let json = read(self)?;
        self.depth -= 1;
        Ok(json)
    }

    fn object(&mut self) -> Parsed<Json> {
        let mut members = Vec::new();
        if self.eat(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.wrong(Kind::Expected("a key in double quotes")));
            }
            let key = self.string()?;
            self.blanks();
            if !self.eat(b':') {
                return Err(self.wrong(Kind::Expected("`:`")));
            }
            self.blanks();
            let value = self.value()?;
            members.push(Member {
                key,
                value,
                span: start..self.at,
            });
            if self.end_of_items(b'}', "`,` or `}`")? {
                return Ok(Json::Object(members));
            }
        }
    }

    fn array(&mut self) -> Parsed<Json> {
        let mut items = Vec::new();
        if self.eat(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value()?);
            if self.end_of_items(b']', "`,` or `]`")? {
                return Ok(Json::Array(items));
            }
        }
    }

    /// After an item: true if `close` follows; otherwise there must be a comma and another item.
    fn end_of_items(&mut self, close: u8, expected: &'static str) -> Parsed<bool> {
        self.blanks();
        if self.eat(close) {
            return Ok(true);
        }
        let comma = self.at;
        if !self.eat(b',') {
            return Err(self.wrong(Kind::Expected(expected)));
        }
        self.blanks();
        if self.peek() == Some(close) {
            return Err(JsonError {
                offset: comma,
                kind: Kind::TrailingComma,
            });
        }
        Ok(false)
    }

    fn word(&mut self, word: &'static str, json: Json) -> Parsed<Json> {
        if self.rest().starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(json);
        }
        if word.as_bytes().starts_with(self.rest()) {
            self.at = self.bytes.len();
        }
        Err(self.wrong(Kind::Expected("a value")))
    }

    fn number(&mut self) -> Parsed<Json> {
        let start = self.at;
        self.eat(b'-');
        if self.eat(b'0') {
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.error(Kind::Number));
            }
        } else {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            if !self.eat(b'+') {
                self.eat(b'-');
            }
            self.digits()?;
        }
        // Only ASCII was consumed, so the conversion is lossless.
        Ok(Json::Number(
            String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned(),
        ))
    }

    fn digits(&mut self) -> Parsed<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            Err(self.wrong(Kind::Number))
        } else {
            Ok(())
        }
    }

    fn string(&mut self) -> Parsed<Text> {
        self.at += 1; // the opening quote
        let mut text = Vec::new();
        loop {
            let start = self.at;
            let special = |&byte: &u8| byte == b'"' || byte == b'\\' || byte < 0x20;
            let plain = self.rest().iter().position(special);
            self.at = plain.map_or(self.bytes.len(), |length| start + length);
            let plain = &self.bytes[start..self.at];
            if !self.raw_strings
                && let Err(error) = std::str::from_utf8(plain)
            {
                let offset = start + error.valid_up_to();
                return Err(JsonError {
                    offset,
                    kind: Kind::InvalidUtf8,
                });
            }
            text.extend_from_slice(plain);
            match self.peek() {
                None => return Err(self.error(Kind::UnexpectedEnd)),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Text(text));
                }
                Some(b'\\') => self.escape(&mut text)?,
                Some(control) if self.raw_strings => {
                    text.push(control);
                    self.at += 1;
                }
                Some(control) => return Err(self.error(Kind::ControlCharacter(control))),
            }
        }
    }

    fn escape(&mut self, text: &mut Vec<u8>) -> Parsed<()> {
        let start = self.at;
        let bad = JsonError {
            offset: start,
            kind: Kind::Escape,
        };
        self.at += 1; // the backslash
        let Some(byte) = self.peek() else {
            return Err(self.error(Kind::UnexpectedEnd));
        };
        let plain = match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let Some(unit) = self.unit(start) else {
                    let cut = self.bytes.len() < start + 6
                        && self.bytes[start + 2..].iter().all(u8::is_ascii_hexdigit);
                    self.at = self.bytes.len();
                    return Err(if cut {
                        self.error(Kind::UnexpectedEnd)
                    } else {
                        bad
                    });
                };
                self.at = start + 6;
                let low = matches!(unit, 0xd800..0xdc00)
                    .then(|| self.unit(start + 6))
                    .flatten()
                    .filter(|low| matches!(low, 0xdc00..0xe000));
                let code = low.map_or(unit, |low| {
                    self.at = start + 12;
                    0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
                });
                push_wtf8(code, text);
                return Ok(());
            }
            _ => return Err(bad),
        };
        text.push(plain);
        self.at += 1;
        Ok(())
    }

    /// The UTF-16 unit of the escape at `start`.
    fn unit(&self, start: usize) -> Option<u32> {
        let digits = self.bytes.get(start..start + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0, |unit, &digit| {
            Some(unit * 16 + char::from(digit).to_digit(16)?)
        })
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let eaten = self.peek() == Some(byte);
        self.at += usize::from(eaten);
        eaten
    }

    fn error(&self, kind: Kind) -> JsonError {
        JsonError {
            offset: self.at,
            kind,
        }
    }

    /// An error at a byte that does not fit, unless the input ends there or is not UTF-8.
    fn wrong(&self, kind: Kind) -> JsonError {
        let rest = self.rest();
        if rest.is_empty() {
            return self.error(Kind::UnexpectedEnd);
        }
        let character = &rest[..rest.len().min(4)];
        match std::str::from_utf8(character) {
            Err(error) if error.valid_up_to() == 0 => self.error(Kind::InvalidUtf8),
            _ => self.error(kind),
        }
    }
}

fn push_wtf8(code: u32, text: &mut Vec<u8>) {
    if let Some(character) = char::from_u32(code) {
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        return;
    }
    // A lone surrogate is stored as the three bytes that UTF-8 would use for it.
    let low_six = |shift: u32| 0x80 | u8::try_from(code >> shift & 0x3f).unwrap_or_default();
    text.extend_from_slice(&[0xed, low_six(6), low_six(0)]);
}
