//! Reading JSON as CFEngine does: a little more than RFC 8259 allows, and in
//! places a little less. What stands behind the value is not looked at.

use super::Data;
use crate::value::Text;
use indexmap::IndexMap;

/// Why a text is not read that is nested too deep.
pub const TOO_DEEP: &str = "nested too deep";

/// Containers nested deeper than this are refused: the agent would crash.
const DEEPEST: usize = 5_000;

/// What a bare word stands for, and how many bytes it takes.
pub type Lookup<'a> = &'a mut dyn FnMut(&str) -> Option<(Data, usize)>;

/// Reads the value that a text starts with, and says how long it is.
///
/// # Errors
/// What is wrong, in a few words.
pub fn parse(text: &str) -> Result<(Data, usize), &'static str> {
    parse_with(text, &mut |_| None)
}

/// As [`parse`], where bare words may stand for containers.
///
/// # Errors
/// As [`parse`].
pub fn parse_with(text: &str, lookup: Lookup<'_>) -> Result<(Data, usize), &'static str> {
    let mut parser = Parser {
        text,
        at: 0,
        depth: 0,
        lookup,
    };
    parser.skip_blanks();
    let data = match parser.peek() {
        Some(b'{') => parser.object()?,
        Some(b'[') => parser.array()?,
        Some(_) => parser.primitive()?,
        None => return Err("no data"),
    };
    Ok((data, parser.at))
}

struct Parser<'a, 'l> {
    text: &'a str,
    at: usize,
    depth: usize,
    lookup: Lookup<'l>,
}

type Step<T> = Result<T, &'static str>;

fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b']' | b'}')
}

impl Parser<'_, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
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
        self.enter()?;
        let mut items = Vec::new();
        let mut before = b'[';
        loop {
            self.skip_blanks();
            let byte = self.peek().ok_or("array without an end")?;
            match byte {
                b']' => {
                    self.leave();
                    return Ok(Data::Array(items));
                }
                b',' if before == b',' || before == b'[' => return Err("comma out of place"),
                b',' => self.at += 1,
                b'[' | b'{' if before != b'[' && before != b',' => return Err("missing comma"),
                _ => items.push(self.value()?),
            }
            // Of an item, its end counts: that of an array is no beginning.
            before = self.text.as_bytes()[self.at - 1];
        }
    }

    fn object(&mut self) -> Step<Data> {
        self.enter()?;
        let mut members: IndexMap<Text, Data> = IndexMap::new();
        let mut key: Option<Text> = None;
        let mut before = b'{';
        loop {
            self.skip_blanks();
            let byte = self.peek().ok_or("object without an end")?;
            match (byte, &key) {
                (b'}', None) => {
                    self.leave();
                    return Ok(Data::Object(members));
                }
                (b'}', Some(_)) => return Err("key without a value"),
                (b':', None) => return Err("colon out of place"),
                (b':', Some(_)) if before == b':' || before == b',' => {
                    return Err("colon out of place");
                }
                (b',', Some(_)) => return Err("comma out of place"),
                (b',', None) if before == b':' || before == b',' => {
                    return Err("comma out of place");
                }
                (b':', Some(_)) | (b',', None) => self.at += 1,
                (b'"', None) => key = Some(self.string()?.into()),
                (b'[' | b'{', None) => return Err("container in place of a key"),
                (_, None) => key = Some(self.bare_key()?),
                (_, Some(_)) => {
                    let value = self.value()?;
                    if let Some(key) = key.take() {
                        // A doubled key goes to the end.
                        members.shift_remove(&key);
                        members.insert(key, value);
                    }
                }
            }
            before = byte;
        }
    }

    /// `key:` without quotes; the colon stays.
    fn bare_key(&mut self) -> Step<Text> {
        let rest = self.rest();
        let length = rest
            .bytes()
            .position(|b| !(b.is_ascii_alphanumeric() || b == b'_'))
            .unwrap_or(rest.len());
        let behind = rest[length..].trim_start_matches([' ', '\t', '\n', '\r']);
        if length == 0 || !behind.starts_with(':') {
            return Err("bad symbol");
        }
        let key = rest[..length].into();
        self.at += length;
        Ok(key)
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
            Some(b'"') => self.string().map(Data::text),
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
        let rest = self.text.get(self.at..).unwrap_or_default();
        let (data, length) = (self.lookup)(rest).ok_or("bad symbol")?;
        self.at += length;
        Ok(data)
    }

    fn string(&mut self) -> Step<String> {
        self.at += 1;
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let mut end = 0;
        loop {
            end += memchr::memchr2(b'"', b'\\', &bytes[end..]).ok_or("string without an end")?;
            if bytes[end] == b'"' {
                break;
            }
            end += 2;
            if end > bytes.len() {
                return Err("string without an end");
            }
        }
        let text = unescape(&rest[..end]);
        self.at += end + 1;
        Ok(text)
    }

    fn number(&mut self) -> Step<Data> {
        let rest = self.rest();
        let length = rest.bytes().position(is_separator).unwrap_or(rest.len());
        let text = &rest[..length];
        let real = check_number(text.as_bytes())?;
        let text: Text = text.into();
        self.at += length;
        Ok(if real {
            Data::Real(text)
        } else {
            Data::Int(text)
        })
    }
}

/// Whether a number has a fraction.
fn check_number(bytes: &[u8]) -> Step<bool> {
    let (mut dot, mut exponent) = (false, false);
    let zero_first = bytes.first() == Some(&b'0');
    for (at, byte) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let digit_before = before.is_some_and(|b| b.is_ascii_digit());
        let after_exponent = matches!(before, Some(b'e' | b'E'));
        match byte {
            b'-' if before.is_none() || after_exponent => {}
            b'+' if after_exponent => {}
            b'.' if !dot && digit_before => dot = true,
            b'e' | b'E' if !exponent && digit_before => exponent = true,
            b'0'..=b'9' if at == 0 || !zero_first || dot || exponent => {}
            _ => return Err("malformed number"),
        }
    }
    if bytes.last().is_some_and(u8::is_ascii_digit) {
        Ok(dot)
    } else {
        Err("malformed number")
    }
}

/// Escapes that the agent does not know (`\u`, `\/`) stay as they are.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let known = match rest.as_bytes().get(at + 1) {
            Some(b'"') => Some('"'),
            Some(b'\\') => Some('\\'),
            Some(b'b') => Some('\u{8}'),
            Some(b'f') => Some('\u{c}'),
            Some(b'n') => Some('\n'),
            Some(b'r') => Some('\r'),
            Some(b't') => Some('\t'),
            _ => None,
        };
        out.push(known.unwrap_or('\\'));
        rest = &rest[at + 1 + usize::from(known.is_some())..];
    }
    out.push_str(rest);
    out
}
