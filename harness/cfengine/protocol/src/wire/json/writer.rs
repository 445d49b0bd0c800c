//! Writes JSON from bytes that may be invalid UTF-8.

use crate::wire::Value;
use crate::wire::value::Style;
use stickler_json::surrogate;

pub(in crate::wire) fn write(value: &Value, style: Style, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(raw) => out.extend_from_slice(raw.as_bytes()),
        Value::Text(text) => string(text, style, out),
        Value::List(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                separate(index > 0, style, out);
                write(item, style, out);
            }
            out.push(b']');
        }
        Value::Object(own) => members(own, style, out),
    }
}

pub(in crate::wire) fn members(own: &[(Vec<u8>, Value)], style: Style, out: &mut Vec<u8>) {
    let mut object = Object::open(style, out);
    let mut member = |(key, value): &(Vec<u8>, Value)| write(value, style, object.member(key));
    if !style.is_agents() || own.is_sorted_by_key(|(key, _)| key) {
        own.iter().for_each(&mut member);
    } else {
        let mut own: Vec<_> = own.iter().collect();
        own.sort_by_key(|(key, _)| key);
        own.into_iter().for_each(&mut member);
    }
    object.close();
}

/// Writes an object member by member.
pub(in crate::wire) struct Object<'o> {
    style: Style,
    out: &'o mut Vec<u8>,
    any: bool,
}

impl<'o> Object<'o> {
    pub(in crate::wire) fn open(style: Style, out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        let any = false;
        Self { style, out, any }
    }

    /// Writes a key; the caller writes its value next.
    pub(in crate::wire) fn member(&mut self, key: &[u8]) -> &mut Vec<u8> {
        self.separate();
        match self.style {
            Style::Release(release) if !release.escapes_names => {
                self.out.push(b'"');
                self.out.extend_from_slice(key);
                self.out.push(b'"');
            }
            style => string(key, style, self.out),
        }
        self.colon()
    }

    /// Like [`Object::member`], for a key that already has quotes and needs no escapes.
    pub(in crate::wire) fn quoted(&mut self, key: &[u8]) -> &mut Vec<u8> {
        self.separate();
        self.out.extend_from_slice(key);
        self.colon()
    }

    fn separate(&mut self) {
        separate(self.any, self.style, self.out);
        self.any = true;
    }

    fn colon(&mut self) -> &mut Vec<u8> {
        self.out.push(b':');
        if !self.style.is_agents() {
            self.out.push(b' ');
        }
        self.out
    }

    pub(in crate::wire) fn close(self) {
        self.out.push(b'}');
    }
}

fn separate(any: bool, style: Style, out: &mut Vec<u8>) {
    if any {
        out.push(b',');
        if !style.is_agents() {
            out.push(b' ');
        }
    }
}

pub(in crate::wire) fn string(text: &[u8], style: Style, out: &mut Vec<u8>) {
    out.push(b'"');
    match style {
        Style::Release(release) if release.escapes_bytes => escaped_bytes(text, out),
        Style::Agent | Style::Release(_) => escaped(text, out),
        Style::Spec | Style::Ascii => valid_string(text, style == Style::Ascii, out),
    }
    out.push(b'"');
}

/// Writes an escape for each byte that is no printable ASCII, as cf-agent does since 3.24.
fn escaped_bytes(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b' '..=b'~' | b'\x08' | b'\t' | b'\n' | b'\x0c' | b'\r' => escape(byte, out),
            _ => unit(u16::from(byte), out),
        }
    }
}

/// Writes the escapes of cf-agent 3.21.0; all other bytes stay raw.
fn escaped(text: &[u8], out: &mut Vec<u8>) {
    // Most texts need no escape. A check without early exit allows the compiler to vectorize it.
    let suspect = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    let mut rest = text;
    if !text.iter().fold(false, |any, byte| any | suspect(*byte)) {
        return out.extend_from_slice(text);
    }
    while let Some(at) = rest.iter().position(|&byte| ESCAPED[usize::from(byte)]) {
        out.extend_from_slice(&rest[..at]);
        escape(rest[at], out);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

fn escape(byte: u8, out: &mut Vec<u8>) {
    match letter(byte) {
        Some(letter) => out.extend_from_slice(&[b'\\', letter]),
        None => out.push(byte),
    }
}

/// The bytes for which [`letter`] has an escape.
const ESCAPED: [bool; 256] = {
    let mut escaped = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        escaped[byte] = letter(byte as u8).is_some();
        byte += 1;
    }
    escaped
};

/// The character after the backslash in a byte's escape.
const fn letter(byte: u8) -> Option<u8> {
    Some(match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => return None,
    })
}

/// Writes valid JSON if possible; bytes that are neither UTF-8 nor a lone surrogate have no escape
/// and stay raw.
fn valid_string(text: &[u8], ascii: bool, out: &mut Vec<u8>) {
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(half) = rest.get(..3).and_then(surrogate) {
            unit(half, out);
            rest = &rest[3..];
            continue;
        }
        let (valid, invalid) = rest
            .utf8_chunks()
            .next()
            .map_or(("", rest), |chunk| (chunk.valid(), chunk.invalid()));
        if valid.is_empty() {
            out.extend_from_slice(invalid);
            rest = &rest[invalid.len()..];
            continue;
        }
        valid.chars().for_each(|one| character(one, ascii, out));
        rest = &rest[valid.len()..];
    }
}

fn character(character: char, ascii: bool, out: &mut Vec<u8>) {
    match character {
        '"' | '\\' | '\x08' | '\x0c' | '\n' | '\r' | '\t' => escape(character as u8, out),
        '\0'..' ' => unit(u16::from(character as u8), out),
        _ if ascii && !character.is_ascii() => {
            character
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|&half| unit(half, out));
        }
        _ => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

fn unit(unit: u16, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
}
