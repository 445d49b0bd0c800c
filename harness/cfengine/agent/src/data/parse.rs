//! Parses JSON as CFEngine does. The grammar differs from RFC 8259: it allows a little more, and in
//! places a little less. Text after the value is ignored.

use super::Data;
use crate::map::Map;
use crate::value::Text;
use cfengine_policy::text::decode;
use cfengine_protocol::release::Release;
use std::borrow::Cow;
use std::fmt;

/// The error for a text that is nested too deep.
pub const TOO_DEEP: &str = "nested too deep";

/// The error for an empty text.
pub const NO_DATA: &str = "No data";

const ARRAY_START: &str = "Unable to parse json data as array, did not start with '['";
const ARRAY_END: &str = "Unable to parse json data as array, did not end with ']'";
const ARRAY_COMMA: &str = "Unable to parse json data as array, extraneous commas";
const BAD_SYMBOL: &str = "Unable to parse json data as object, unrecognized token beginning entry";
const OBJECT_END: &str = "Unable to parse json data as string, did not end with '}'";
const OBJECT_COLON: &str =
    "Unable to parse json data as object, ':' seen without having specified an l-value";
const OBJECT_COMMA: &str =
    "Unable to parse json data as object, ',' seen without having specified an r-value";
const NO_COMMA: &str =
    "Unable to parse json data as object, two members without a comma between them";
const ARRAY_AS_KEY: &str = "Unable to parse json data as object, array not allowed as l-value";
const OBJECT_AS_KEY: &str = "Unable to parse json data as object, object not allowed as l-value";
const OPEN_KEY: &str =
    "Unable to parse json data as object, tried to close object having opened an l-value";
const STRING_END: &str = "Unable to parse json data as string, did not end with doublequote";
const MINUS: &str = "Unable to parse json data as number, - not at the start or not after exponent";
const PLUS: &str = "Unable to parse json data as number, + without preceding exponent";
const TWO_ZEROS: &str =
    "Unable to parse json data as number, started with 0 before dot or exponent, duplicate 0 seen";
const BARE_DOT: &str = "Unable to parse json data as number, dot not preceded by digit";
const TWO_DOTS: &str = "Unable to parse json data as number, two or more dots (decimal points)";
const TWO_EXPONENTS: &str = "Unable to parse json data as number, duplicate exponent";
const BARE_EXPONENT: &str = "Unable to parse json data as number, exponent without preceding digit";
const AFTER_ZERO: &str =
    "Unable to parse json data as number, dot or exponent must follow leading 0";
const NO_DIGIT: &str = "Unable to parse json data as number, invalid symbol";
const DIGIT_END: &str = "Unable to parse json data as string, did not end with digit";

/// The deepest nesting of containers; beyond it cf-agent would crash.
const DEEPEST: usize = 5_000;

/// Looks up a bare word: the number of bytes that it has, and its value.
pub type Lookup<'a> = &'a mut dyn FnMut(&str) -> (usize, Option<Data>);

/// A parse error in cf-agent's words, and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The error.
    pub why: &'static str,
    /// The first byte that was not parsed.
    pub at: usize,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.why)
    }
}

/// Parses the value at the start of a text as a release does; also returns its length.
///
/// # Errors
/// The error and its position.
pub fn parse(text: &str, release: &Release) -> Result<(Data, usize), Broken> {
    parse_with(text, release, &mut |_| (0, None))
}

/// Does the same as [`parse`], but bare words may refer to containers.
///
/// # Errors
/// As [`parse`].
pub fn parse_with(
    text: &str,
    release: &Release,
    lookup: Lookup<'_>,
) -> Result<(Data, usize), Broken> {
    let mut parser = Parser::new(text, release, lookup);
    let data = parser.whole(Parser::object);
    match data {
        Ok(data) => Ok((data, parser.at)),
        Err(why) => Err(Broken { why, at: parser.at }),
    }
}

/// A parsed text that keeps only a few members of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Picked<const N: usize> {
    /// The requested members of an object.
    Members([Option<Data>; N]),
    /// Anything else.
    Other(Data),
}

/// Does the same as [`parse`], but keeps only the members of these names.
///
/// # Errors
/// As [`parse`].
pub fn pick<const N: usize>(
    text: &str,
    release: &Release,
    names: [&str; N],
) -> Result<Picked<N>, Broken> {
    let lookup: Lookup<'_> = &mut |_| (0, None);
    let mut parser = Parser::new(text, release, lookup);
    let mut members = [const { None }; N];
    let mut is_object = false;
    let other = parser.whole(|parser| {
        is_object = true;
        parser.members(|parser, key| {
            match names.iter().position(|name| *name == key) {
                Some(at) => members[at] = Some(parser.value()?),
                None => parser.skip()?,
            }
            Ok(())
        })?;
        Ok(Data::Null)
    });
    match other {
        Ok(_) if is_object => Ok(Picked::Members(members)),
        Ok(data) => Ok(Picked::Other(data)),
        Err(why) => Err(Broken { why, at: parser.at }),
    }
}

struct Parser<'a, 'l> {
    text: &'a str,
    at: usize,
    depth: usize,
    release: &'l Release,
    lookup: Lookup<'l>,
}

type Step<T> = Result<T, &'static str>;

fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b']' | b'}')
}

impl<'a, 'l> Parser<'a, 'l> {
    fn new(text: &'a str, release: &'l Release, lookup: Lookup<'l>) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            release,
            lookup,
        }
    }

    /// The first value; `object` parses it if it is an object.
    fn whole(&mut self, object: impl FnOnce(&mut Self) -> Step<Data>) -> Step<Data> {
        self.skip_blanks();
        match self.peek() {
            Some(b'{') => object(self),
            Some(b'[') => self.array(),
            Some(_) => self.primitive(),
            None => Err(NO_DATA),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn enter(&mut self) -> Step<()> {
        self.depth += 1;
        self.at += 1;
        if self.depth > DEEPEST {
            return Err(TOO_DEEP);
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
        self.at += 1;
    }

    fn array(&mut self) -> Step<Data> {
        let mut items = Vec::new();
        self.items(|parser| {
            items.push(parser.value()?);
            Ok(())
        })?;
        Ok(Data::Array(items))
    }

    /// Parses an array; `item` parses each item.
    fn items(&mut self, mut item: impl FnMut(&mut Self) -> Step<()>) -> Step<()> {
        self.enter()?;
        let mut before = b'[';
        loop {
            self.skip_blanks();
            let byte = self.peek().ok_or(ARRAY_END)?;
            match byte {
                b']' => {
                    self.leave();
                    return Ok(());
                }
                b',' if before == b',' || before == b'[' => return Err(ARRAY_COMMA),
                b',' => self.at += 1,
                b'[' | b'{' if before != b'[' && before != b',' => return Err(ARRAY_START),
                _ => item(self)?,
            }
            // Only the item's last byte matters: the end of a nested array is not mistaken for a
            // start.
            before = self.text.as_bytes()[self.at - 1];
        }
    }

    fn object(&mut self) -> Step<Data> {
        let mut members: Map<Text, Data> = Map::default();
        self.members(|parser, key| {
            let (at, before) = members.insert_full(key.into(), parser.value()?);
            if before.is_some() {
                // A duplicate key moves to the end.
                members.move_index(at, members.len() - 1);
            }
            Ok(())
        })?;
        Ok(Data::Object(members))
    }

    /// Parses an object; `member` parses each value.
    fn members(&mut self, mut member: impl FnMut(&mut Self, Cow<'a, str>) -> Step<()>) -> Step<()> {
        self.enter()?;
        let mut key: Option<Cow<'a, str>> = None;
        let mut before = b'{';
        let mut after_value = false;
        loop {
            self.skip_blanks();
            let byte = self.peek().ok_or(OBJECT_END)?;
            if std::mem::take(&mut after_value)
                && !matches!(byte, b',' | b'}')
                && self.release.needs_commas
            {
                return Err(NO_COMMA);
            }
            match (byte, &key) {
                (b'}', None) => {
                    self.leave();
                    return Ok(());
                }
                (b'}', Some(_)) => return Err(OPEN_KEY),
                (b':', None) => return Err(OBJECT_COLON),
                (b':', Some(_)) if before == b':' || before == b',' => {
                    return Err(OBJECT_COLON);
                }
                (b',', Some(_)) => return Err(OBJECT_COMMA),
                (b',', None) if before == b':' || before == b',' => {
                    return Err(OBJECT_COMMA);
                }
                (b':', Some(_)) | (b',', None) => self.at += 1,
                (b'"', None) => {
                    key = Some(match self.string()? {
                        (raw, false) => raw.into(),
                        (raw, true) => unescape(raw, Some('/'), false).into(),
                    });
                }
                (b'[', None) => return Err(ARRAY_AS_KEY),
                (b'{', None) => return Err(OBJECT_AS_KEY),
                (_, None) => key = Some(self.bare_key()?.into()),
                (_, Some(_)) => {
                    if let Some(key) = key.take() {
                        member(self, key)?;
                        after_value = true;
                    }
                }
            }
            before = byte;
        }
    }

    /// Parses a value and drops it.
    fn skip(&mut self) -> Step<()> {
        match self.peek() {
            Some(b'{') => self.members(|parser, _| parser.skip()),
            Some(b'[') => self.items(Self::skip),
            Some(b'"') => self.string().map(|_| ()),
            _ => self.primitive().map(|_| ()),
        }
    }

    /// A key without quotes; the colon is not consumed.
    fn bare_key(&mut self) -> Step<&'a str> {
        let rest = self.rest();
        let length = rest
            .bytes()
            .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')))
            .unwrap_or(rest.len());
        let behind = rest[length..].trim_start_matches([' ', '\t', '\n', '\r']);
        if length == 0 || rest.starts_with('-') || !behind.starts_with(':') {
            return Err(BAD_SYMBOL);
        }
        self.at += length;
        Ok(&rest[..length])
    }

    fn value(&mut self) -> Step<Data> {
        match self.peek() {
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            _ => self.primitive(),
        }
    }

    fn primitive(&mut self) -> Step<Data> {
        match self.peek() {
            // cf-agent resolves the escapes of a value twice.
            Some(b'"') => Ok(Data::String(match self.string()? {
                (raw, false) => raw.into(),
                (raw, true) => {
                    let bytes = self.release.reads_escapes;
                    unescape(&unescape(raw, Some('/'), bytes), None, bytes).into()
                }
            })),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Step<Data> {
        for (word, data) in [
            ("true", Data::Bool(true)),
            ("false", Data::Bool(false)),
            ("null", Data::Null),
        ] {
            let behind = self.rest().strip_prefix(word);
            if behind.is_some_and(|b| b.bytes().next().is_none_or(is_separator)) {
                self.at += word.len();
                return Ok(data);
            }
        }
        // Words are only looked up within containers.
        if self.depth == 0 {
            return Err(BAD_SYMBOL);
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let (length, data) = (self.lookup)(rest);
        let Some(data) = data else {
            self.at += length.saturating_sub(1);
            return Err(BAD_SYMBOL);
        };
        self.at += length;
        Ok(data)
    }

    /// The raw text between quotes, and whether it has escapes.
    fn string(&mut self) -> Step<(&'a str, bool)> {
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        let mut end = start;
        let mut escapes = false;
        loop {
            // Most strings are short, so a simple loop is faster than `memchr`.
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escapes = true;
                    end += 2;
                }
                Some(_) => end += 1,
                None => {
                    self.at = bytes.len();
                    return Err(STRING_END);
                }
            }
        }
        self.at = end + 1;
        Ok((&self.text[start..end], escapes))
    }

    fn number(&mut self) -> Step<Data> {
        let rest = self.rest();
        let length = rest.bytes().position(is_separator).unwrap_or(rest.len());
        let text = &rest[..length];
        let real = match check_number(text.as_bytes()) {
            Ok(real) => real,
            Err((why, read)) => {
                self.at += read;
                return Err(why);
            }
        };
        let text: Text = text.into();
        self.at += length;
        Ok(if real {
            Data::Real(text)
        } else {
            Data::Int(text)
        })
    }
}

/// The number at the start of a text, if a blank, a comma or the end follows it.
pub(super) fn number(text: &str) -> Option<Data> {
    let length = text.bytes().position(is_separator).unwrap_or(text.len());
    let text = &text[..length];
    let real = check_number(text.as_bytes()).ok()?;
    Some(if real {
        Data::Real(text.into())
    } else {
        Data::Int(text.into())
    })
}

/// Whether a number has a fraction; otherwise the error and its position.
fn check_number(bytes: &[u8]) -> Result<bool, (&'static str, usize)> {
    let (mut dot, mut exponent) = (false, false);
    let zero_first = bytes.first() == Some(&b'0');
    for (at, byte) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let digit_before = before.is_some_and(|b| b.is_ascii_digit());
        let after_exponent = matches!(before, Some(b'e' | b'E'));
        let bare_zero = at > 0 && zero_first && !dot && !exponent;
        let wrong = match byte {
            b'-' if before.is_some() && !after_exponent => MINUS,
            b'+' if !after_exponent => PLUS,
            b'-' | b'+' => continue,
            b'0' if bare_zero => TWO_ZEROS,
            b'.' if dot => TWO_DOTS,
            b'.' if !digit_before => BARE_DOT,
            b'.' => {
                dot = true;
                continue;
            }
            b'e' | b'E' if exponent => TWO_EXPONENTS,
            b'e' | b'E' if !digit_before => BARE_EXPONENT,
            b'e' | b'E' => {
                exponent = true;
                continue;
            }
            _ if bare_zero => AFTER_ZERO,
            b'0'..=b'9' => continue,
            _ => NO_DIGIT,
        };
        return Err((wrong, at));
    }
    if bytes.last().is_some_and(u8::is_ascii_digit) {
        Ok(dot)
    } else {
        Err((DIGIT_END, bytes.len()))
    }
}

/// Resolves escapes; those that cf-agent does not know are kept. With `bytes`, `\u00XX` is the byte XX, a zero
/// vanishes, and other `\u` lose their backslash.
fn unescape(text: &str, besides: Option<char>, bytes: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        if let Some(behind) = rest[at + 1..].strip_prefix('u').filter(|_| bytes) {
            let number = behind
                .get(..4)
                .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
            let number =
                number.and_then(|digits| u8::try_from(u16::from_str_radix(digits, 16).ok()?).ok());
            match number {
                Some(0) => rest = &behind[4..],
                Some(byte) => {
                    out.push_str(&decode(&[byte]));
                    rest = &behind[4..];
                }
                None => rest = &rest[at + 1..],
            }
            continue;
        }
        let known = match rest[at + 1..].chars().next() {
            Some(c @ ('"' | '\\')) => Some(c),
            Some('b') => Some('\u{8}'),
            Some('f') => Some('\u{c}'),
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            other => other.filter(|_| other == besides),
        };
        out.push(known.unwrap_or('\\'));
        rest = &rest[at + 1 + usize::from(known.is_some())..];
    }
    out.push_str(rest);
    out
}
