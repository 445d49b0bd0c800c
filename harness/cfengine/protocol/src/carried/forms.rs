//! Reverses the encodings that file formats apply to a text.

use crate::words::{contains, has_word};
use base64::Engine;
use base64::prelude::{BASE64_STANDARD as STANDARD, BASE64_URL_SAFE as URL_SAFE};

/// Reverses one encoding.
type Reader = fn(&[u8]) -> Vec<u8>;

/// The encodings that a text may go through on its way into a file.
const READERS: &[Reader] = &[
    |text| escapes(text, Unit::Character),
    |text| escapes(text, Unit::Byte),
    backslashes,
    |text| backslashes(&replaced(text, TEX)),
    |text| replaced(text, &[(b"'\\''", b"'"), (b"'\"'\"'", b"'")]),
    |text| replaced(text, &[(b"''", b"'")]),
    |text| replaced(text, &[(b"\"\"", b"\"")]),
    |text| replaced(text, &[(b"%%", b"%")]),
    |text| replaced(text, &[(b"$$", b"$")]),
    |text| replaced(text, &[(b"{{", b"{"), (b"}}", b"}")]),
    entities,
    |text| hex_coded(text, b'%'),
    |text| hex_coded(&replaced(text, &[(b"+", b" ")]), b'%'),
    |text| hex_coded(&replaced(text, &[(b"=\n", b"")]), b'='),
    decimals,
    |text| replaced(text, &[(b"\n ", b"")]),
    base64,
    |text| replaced(text, &[(b"\r\n", b"\n")]),
    outdented,
    commented,
    adjoined,
    folded,
];

/// The first bytes of an SQLite file.
pub const DATABASE: &[u8] = b"SQLite format 3\0";

/// The characters that have a name in TeX.
const TEX: &[(&[u8], &[u8])] = &[
    (b"\\textbackslash{}", b"\\\\"),
    (b"\\textasciitilde{}", b"~"),
    (b"\\textasciicircum{}", b"^"),
    (b"\\textless{}", b"<"),
    (b"\\textgreater{}", b">"),
    (b"\\textbar{}", b"|"),
    (b"\\textquotesingle{}", b"'"),
    (b"\\textquotedbl{}", b"\""),
    (b"\\textdollar{}", b"$"),
];

/// Does `text` contain `value`, unchanged or encoded?
pub fn holds(text: &[u8], value: &[u8]) -> bool {
    if contains(text, value) {
        return true;
    }
    // A database stores text unchanged; that text may be JSON.
    let readers = if text.starts_with(DATABASE) {
        &READERS[..2]
    } else {
        READERS
    };
    // Encodings nest, such as JSON in a quoted word of a shell.
    let once = readers
        .iter()
        .map(|read| read(text))
        .filter(|read| read != text);
    let once: Vec<Vec<u8>> = once.collect();
    once.iter().any(|read| contains(read, value))
        || once.iter().any(|first| {
            readers
                .iter()
                .map(|read| read(first))
                .any(|second| second != *first && contains(&second, value))
        })
}

/// Does `text` contain `value` unchanged, as a word? A part of a longer word may have another
/// source: `.txt` may come from a list of the files that end in it. A database stores values
/// without separators, and also its table definitions.
pub fn shows(text: &[u8], value: &[u8]) -> bool {
    if !text.starts_with(DATABASE) {
        return has_word(text, value);
    }
    text.split(u8::is_ascii_control)
        .filter(|run| !contains(&run.to_ascii_uppercase(), b"CREATE "))
        .any(|run| contains(run, value))
}

/// What `\xNN` represents.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Character,
    Byte,
}

/// Escapes of JSON, C, Python, Ruby, YAML and the shell's `$'…'`.
fn escapes(text: &[u8], unit: Unit) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    // The first half of a surrogate pair.
    let mut high = None;
    while let Some(&byte) = text.get(at) {
        at += 1;
        let Some(&escape) = text.get(at).filter(|_| byte == b'\\') else {
            out.push(byte);
            continue;
        };
        at += 1;
        let simple: &[u8] = match escape {
            b'n' => b"\n",
            b't' => b"\t",
            b'r' => b"\r",
            b'a' => b"\x07",
            b'b' => b"\x08",
            b'f' => b"\x0c",
            b'v' => b"\x0b",
            b'e' => b"\x1b",
            b'N' if unit == Unit::Character => "\u{85}".as_bytes(),
            b'_' if unit == Unit::Character => "\u{a0}".as_bytes(),
            b'L' => "\u{2028}".as_bytes(),
            b'P' => "\u{2029}".as_bytes(),
            b'\n' => {
                // A folded line continues after the leading blanks of the next one.
                at += blanks(text, at);
                continue;
            }
            b'u' | b'U' | b'x' | b'0'..=b'7' => {
                let Some((code, length)) = number(escape, &text[at - 1..]) else {
                    out.push(escape);
                    continue;
                };
                at += length - 1;
                if unit == Unit::Byte && matches!(escape, b'x' | b'0'..=b'7') {
                    out.extend(u8::try_from(code));
                    continue;
                }
                match (code, high.take()) {
                    (0xd800..=0xdbff, _) => high = Some(code),
                    (0xdc00..=0xdfff, Some(first)) => {
                        let pair = 0x10000 + ((first - 0xd800) << 10) + (code - 0xdc00);
                        push_char(&mut out, pair);
                    }
                    (code, _) => push_char(&mut out, code),
                }
                continue;
            }
            other => {
                out.push(other);
                continue;
            }
        };
        out.extend_from_slice(simple);
    }
    out
}

/// The number of the escape at the start of `text`, and its length including the letter.
fn number(escape: u8, text: &[u8]) -> Option<(u32, usize)> {
    let digits = text.get(1..)?;
    if escape == b'u' && digits.first() == Some(&b'{') {
        let end = digits.iter().take(10).position(|byte| *byte == b'}')?;
        return Some((parse(&digits[1..end], 16)?, end + 2));
    }
    if escape.is_ascii_digit() {
        let count = text
            .iter()
            .take(3)
            .take_while(|byte| matches!(byte, b'0'..=b'7'))
            .count();
        return Some((parse(text.get(..count)?, 8)?, count));
    }
    let most = match escape {
        b'x' => 2,
        b'u' => 4,
        _ => 8,
    };
    let count = digits
        .iter()
        .take(most)
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count();
    Some((parse(digits.get(..count)?, 16)?, count + 1))
}

fn parse(digits: &[u8], radix: u32) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()
}

fn push_char(out: &mut Vec<u8>, code: u32) {
    if let Some(c) = char::from_u32(code) {
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// A backslash before each special character, as in shells.
fn backslashes(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => out.extend(bytes.next()),
            other => out.push(*other),
        }
    }
    out
}

fn replaced(text: &[u8], pairs: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, tail)) = rest.split_first() {
        match pairs.iter().find(|(from, _)| rest.starts_with(from)) {
            Some((from, to)) => {
                out.extend_from_slice(to);
                rest = &rest[from.len()..];
            }
            None => {
                out.push(*byte);
                rest = tail;
            }
        }
    }
    out
}

/// Entities of XML and HTML.
fn entities(text: &[u8]) -> Vec<u8> {
    const NAMED: [(&[u8], &str); 7] = [
        (b"amp", "&"),
        (b"lt", "<"),
        (b"gt", ">"),
        (b"quot", "\""),
        (b"apos", "'"),
        (b"nbsp", "\u{a0}"),
        (b"szlig", "ß"),
    ];
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, tail)) = rest.split_first() {
        let end = tail.iter().take(10).position(|byte| *byte == b';');
        let entity = end.filter(|_| *byte == b'&').map(|end| &tail[..end]);
        let code = |entity: &[u8]| match entity.strip_prefix(b"#")? {
            [b'x' | b'X', hex @ ..] => parse(hex, 16),
            decimal => parse(decimal, 10),
        };
        let named = entity.and_then(|entity| NAMED.iter().find(|(name, _)| *name == entity));
        match (entity, named) {
            (Some(entity), Some((_, to))) => {
                out.extend_from_slice(to.as_bytes());
                rest = &tail[entity.len() + 1..];
            }
            (Some(entity), None) if code(entity).is_some() => {
                push_char(&mut out, code(entity).unwrap_or_default());
                rest = &tail[entity.len() + 1..];
            }
            _ => {
                out.push(*byte);
                rest = tail;
            }
        }
    }
    out
}

/// `%NN`, or `=NN` as in mail.
fn hex_coded(text: &[u8], mark: u8) -> Vec<u8> {
    coded(text, mark, 2, 16)
}

/// `\DDD`, as in zone files.
fn decimals(text: &[u8]) -> Vec<u8> {
    coded(text, b'\\', 3, 10)
}

/// Bytes written as a mark and a fixed number of digits.
fn coded(text: &[u8], mark: u8, count: usize, radix: u32) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, tail)) = rest.split_first() {
        let digits = tail.get(..count).filter(|_| *byte == mark);
        let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_alphanumeric));
        let code = digits.and_then(|digits| u8::try_from(parse(digits, radix)?).ok());
        out.push(code.unwrap_or(*byte));
        rest = if code.is_some() { &tail[count..] } else { tail };
    }
    out
}

/// Words in base64, as in LDIF and mail.
fn base64(text: &[u8]) -> Vec<u8> {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(byte);
    let mut out = Vec::with_capacity(text.len());
    for word in text.chunk_by(|one, other| is_of_word(one) == is_of_word(other)) {
        let decoded = Some(word).filter(|word| word.len() >= 4).and_then(|word| {
            STANDARD
                .decode(word)
                .or_else(|_| URL_SAFE.decode(word))
                .ok()
        });
        match decoded {
            Some(decoded) => out.extend(decoded),
            None => out.extend_from_slice(word),
        }
    }
    out
}

/// Lines without their indentation: a YAML block, an indented value.
fn outdented(text: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = text
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_start)
        .collect();
    lines.join(&b'\n')
}

/// Lines without comment marks at their start.
fn commented(text: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = text
        .split(|byte| *byte == b'\n')
        .map(|line| {
            let marks = line
                .iter()
                .take_while(|byte| b"#;/*!>-%".contains(byte))
                .count();
            let rest = &line[marks..];
            rest.strip_prefix(b" ").unwrap_or(rest)
        })
        .collect();
    lines.join(&b'\n')
}

/// Joins quoted texts on consecutive lines, as C, Python and gettext do.
fn adjoined(text: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let words = line.trim_ascii();
        match words.strip_prefix(b"\"") {
            Some(rest) if out.trim_ascii_end().ends_with(b"\"") => {
                out.truncate(out.trim_ascii_end().len() - 1);
                out.extend_from_slice(rest);
                out.push(b'\n');
            }
            _ => out.extend_from_slice(line),
        }
    }
    out
}

/// Folded lines of YAML: n line ends mean n - 1, and a single one means a blank.
fn folded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\n' {
            out.push(byte);
            continue;
        }
        let mut count = 1;
        loop {
            let skipped = blanks(text, at);
            at += skipped;
            if text.get(at) != Some(&b'\n') {
                break;
            }
            count += 1;
            at += 1;
        }
        if count == 1 {
            out.push(b' ');
        }
        out.extend(std::iter::repeat_n(b'\n', count - 1));
    }
    out
}

fn blanks(text: &[u8], at: usize) -> usize {
    text.get(at..)
        .unwrap_or_default()
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}
