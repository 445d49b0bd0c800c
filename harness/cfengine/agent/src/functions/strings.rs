//! Functions of texts.

use super::{Done, arg, string};
use crate::context::Agent;
use crate::expand::NOWHERE;
use crate::log::Severity;
use crate::number;
use crate::scan;
use crate::value::{Kind, Value};
use cfengine_policy::text;
use std::num::{IntErrorKind, ParseIntError};

pub(super) fn canonify(_: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    use sha1::{Digest, Sha1};
    let mut own = scan::canonify(arg(arguments, 0));
    // All characters are ASCII here, so every byte index is a character boundary.
    own.truncate(LONGEST);
    if name == "canonify" {
        return string(own);
    }
    let digest = Sha1::digest(text::encode(arg(arguments, 0)));
    string(format!("{own}_{}", hex(&digest)))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The most bytes that some functions return.
const LONGEST: usize = 4095;

pub(super) fn concat(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let texts = arguments.iter().filter_map(Value::scalar);
    let whole: String = texts.map(|text| &**text).collect();
    if text::encode(&whole).len() > LONGEST {
        agent.complain("Unable to evaluate concat() function, arguments are too long");
        return Ok(None);
    }
    string(whole)
}

/// Escapes every byte that is no ASCII letter or digit, also each byte of a multi-byte character.
pub(super) fn escape(_: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let mut out = Vec::new();
    for byte in text::encode(arg(arguments, 0)).iter() {
        if out.len() >= LONGEST - 2 {
            break;
        }
        if !byte.is_ascii_alphanumeric() {
            out.push(b'\\');
        }
        out.push(*byte);
    }
    string(text::decode(&out).into_owned())
}

/// `string_downcase`, `string_head` and related functions; they count bytes.
pub(super) fn transform(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let whole = text::encode(arg(arguments, 0)).into_owned();
    let part = |bytes: &[u8]| string(text::decode(bytes).as_ref());
    match name {
        "string_downcase" => part(&whole.to_ascii_lowercase()),
        "string_upcase" => part(&whole.to_ascii_uppercase()),
        "string_length" => string(whole.len().to_string()),
        "string_reverse" => part(&whole.into_iter().rev().collect::<Vec<_>>()),
        _ => {
            let count = agent.int_or_none(arg(arguments, 1));
            let size = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
            let size = size.min(whole.len());
            let rest = whole.len() - size;
            match (name, count < 0) {
                ("string_head", false) => part(&whole[..size]),
                ("string_head", true) => part(&whole[..rest]),
                (_, false) => part(&whole[rest..]),
                (_, true) => part(&whole[size..]),
            }
        }
    }
}

pub(super) fn trim(_: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    string(arg(arguments, 0).trim_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']))
}

pub(super) fn replace(_: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let (whole, what) = (arg(arguments, 0), arg(arguments, 1));
    if what.is_empty() {
        return string(whole);
    }
    string(whole.replace(what, arg(arguments, 2)))
}

/// `string` and `int`.
pub(super) fn convert(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let text = arg(arguments, 0);
    if name == "string" {
        let named = text.starts_with("@(") || text.starts_with("@{");
        let found = named.then(|| agent.collect(name, &arguments[0], false));
        return string(match found.flatten() {
            Some(data) => data.compact(),
            // Quotes are escaped as in the source of a policy.
            None => text.replace('"', "\\\""),
        });
    }
    match agent.real(text) {
        Some(number) => string(number::whole(number).to_string()),
        None => Ok(None),
    }
}

/// `regex_replace(text, pattern, replacement, options)`
pub(super) fn regex_replace(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let (pattern, replacement) = (arg(arguments, 1), arg(arguments, 2));
    let options = arg(arguments, 3);
    let letters: String = options.chars().filter(|c| "imsxU".contains(*c)).collect();
    // Unlike elsewhere, multi-line and dot-all are off here, as in PCRE by default.
    let off: String = "ms".chars().filter(|c| !letters.contains(*c)).collect();
    let dash = if off.is_empty() { "" } else { "-" };
    let compiled = format!("(?{letters}{dash}{off}){pattern}");
    let pieces = if options.contains('T') {
        vec![Piece::Text(text::encode(replacement).into_owned())]
    } else {
        pieces(&text::encode(replacement))
    };
    let subject = text::encode(arg(arguments, 0)).into_owned();
    let (mut out, mut done, mut from) = (Vec::new(), 0, 0);
    loop {
        let Ok(spans) = agent.patterns.spans(&compiled, &subject, from) else {
            agent.complain(format!(
                "{name}: couldn't use regex '{pattern}', replacement '{replacement}', and options '{options}': \
                 error=(pcre_wrap:) Everything's just fine. Thanks for asking."
            ));
            return Ok(None);
        };
        let Some(Some((start, end))) = spans.first().copied() else {
            break;
        };
        out.extend_from_slice(&subject[done..start]);
        for piece in &pieces {
            match piece {
                Piece::Text(bytes) => out.extend_from_slice(bytes),
                Piece::Group(number) => {
                    let number = number.unwrap_or(spans.len() - 1);
                    if let Some(Some((start, end))) = spans.get(number) {
                        out.extend_from_slice(&subject[*start..*end]);
                    }
                }
            }
        }
        done = end;
        agent.tick()?;
        // After an empty match at the start of the search, the search goes on one byte later.
        from = if end == from { end + 1 } else { end };
        if !options.contains('g') || from > subject.len() {
            break;
        }
    }
    out.extend_from_slice(&subject[done..]);
    let end = memchr::memchr(0, &out).unwrap_or(out.len());
    string(text::decode(&out[..end]).into_owned())
}

/// A part of the replacement for a match.
enum Piece {
    Text(Vec<u8>),
    /// The number of a group; `None` is the last group.
    Group(Option<usize>),
}

/// Parses a replacement. `\1`, `$1`, `$&` and `$+` refer to groups. Other letters after a backslash
/// are control bytes or themselves. The text before and after the match (`` $` `` and `$'`) is
/// always empty.
fn pieces(replacement: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = Vec::new();
    let mut quoted = false;
    let mut rest = replacement;
    while let [first, behind @ ..] = rest {
        let next = behind.first().copied();
        if *first == b'\\' && !next.is_some_and(|b| (b'1'..=b'9').contains(&b)) {
            rest = behind;
            let control = next.and_then(|letter| match letter {
                b't' => Some(b'\t'),
                b'n' => Some(b'\n'),
                b'r' => Some(b'\r'),
                b'f' => Some(12),
                b'a' => Some(7),
                b'e' => Some(27),
                b'0' => Some(0),
                _ => None,
            });
            match control {
                _ if quoted => plain.push(b'\\'),
                Some(byte) => {
                    plain.push(byte);
                    rest = &behind[1..];
                    continue;
                }
                None => {}
            }
            quoted = !quoted;
            continue;
        }
        if matches!(first, b'\\' | b'$') && !quoted && next.is_some() {
            let digits = behind.iter().take_while(|b| b.is_ascii_digit()).count();
            let group = match next {
                _ if digits > 0 => {
                    let text = String::from_utf8_lossy(&behind[..digits]);
                    Some(Some(text.parse().unwrap_or(usize::MAX)))
                }
                Some(b'&') if *first == b'$' => Some(Some(0)),
                Some(b'+') if *first == b'$' => Some(None),
                Some(b'\'' | b'`') if *first == b'$' => Some(Some(usize::MAX)),
                _ => None,
            };
            if let Some(group) = group {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
                pieces.push(Piece::Group(group));
                rest = &behind[digits.max(1)..];
                continue;
            }
        }
        plain.push(*first);
        rest = behind;
        quoted = false;
    }
    pieces.push(Piece::Text(plain));
    pieces
}

/// `format(text, …)`, similar to `printf`.
pub(super) fn format(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let template = arg(arguments, 0).to_owned();
    let mut values = arguments.iter().skip(1);
    let mut out = String::new();
    let mut rest = &*template;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let spec = &rest[at..];
        if let Some(behind) = spec.strip_prefix("%%") {
            out.push('%');
            rest = behind;
            continue;
        }
        let Some(end) = spec[1..].find(|c: char| "diouxXeEfFgGaAcsCSpnm%".contains(c)) else {
            return string(out);
        };
        let (piece, letter) = (&spec[1..=end], spec.as_bytes()[end + 1]);
        if letter == b'%' {
            return string(out);
        }
        let Some(value) = values.next() else {
            agent.complain("format() didn't have enough parameters");
            return Ok(None);
        };
        if let Some(bad) = spec[..end + 2].chars().find(|c| "hLqjzt".contains(*c)) {
            let message = format!(
                "format() does not allow modifier character '{bad}' in format specifier '{}'.",
                &spec[..end + 2]
            );
            agent.complain(message);
            return Ok(None);
        }
        if piece.contains(['*', '$']) {
            let spec = &spec[..end + 2];
            agent.complain(format!(
                "format() specifier '{spec}' takes what is no argument: cf-agent 3.21.0 may crash here"
            ));
            return Ok(None);
        }
        let value = value.scalar().map_or("", |text| text);
        let shown = match letter {
            b'd' | b'o' | b'x' => integer(piece, letter, value),
            b'f' => real(piece, value),
            b's' => pad(piece, value),
            b'S' => match container(agent, value) {
                Some(shown) => pad(piece, &shown),
                None => return Ok(None),
            },
            _ => "(unhandled format)".to_owned(),
        };
        out.push_str(&shown);
        rest = &spec[end + 2..];
    }
    out.push_str(rest);
    string(out)
}

fn container(agent: &mut Agent, name: &str) -> Option<String> {
    let reference = agent.reference(name, NOWHERE);
    let found = agent.find_value(&reference);
    match found {
        Some((Kind::Data, Value::Data(data))) => {
            agent.sort_container(&reference);
            Some(data.compact())
        }
        Some((Kind::StringList, Value::List(items))) => {
            let items: Vec<_> = items.iter().map(|item| item.show(true)).collect();
            Some(format!("{{ {} }}", items.join(", ")))
        }
        other => {
            match other {
                Some((kind, _)) if kind.is_list() => {}
                Some((kind, _)) => agent.complain(format!(
                    "Function 'format' expected a list variable, got variable of type '{}'",
                    kind.word()
                )),
                None => agent.verbose(|| {
                    format!(
                        "Could not resolve expected list variable '{name}' in function 'format'"
                    )
                }),
            }
            let message = format!(
                "format() with %S specifier needs a data container or a list instead of '{name}'."
            );
            agent.say(Severity::Verbose, message);
            None
        }
    }
}

/// Flags, width and precision of a piece such as `-08.3`.
fn layout(piece: &str) -> (&str, usize, Option<usize>) {
    let flags = piece.find(|c| !"-+ #0".contains(c)).unwrap_or(piece.len());
    let (flags, rest) = piece.split_at(flags);
    let (width, precision) = match rest.split_once('.') {
        Some((width, precision)) => (
            width,
            Some(precision.trim_end_matches('l').parse().unwrap_or(0)),
        ),
        None => (rest, None),
    };
    // A cap that bounds memory.
    let width = width.trim_end_matches('l').parse().unwrap_or(0).min(4095);
    (
        flags,
        width,
        precision.map(|precision: usize| precision.min(4095)),
    )
}

fn fit(flags: &str, width: usize, text: String, digits: bool) -> String {
    let missing = width.saturating_sub(text::encode(&text).len());
    if missing == 0 {
        return text;
    }
    if flags.contains('-') {
        return text + &" ".repeat(missing);
    }
    if digits && flags.contains('0') {
        let sign = text.len() - text.trim_start_matches(['-', '+', ' ']).len();
        return format!("{}{}{}", &text[..sign], "0".repeat(missing), &text[sign..]);
    }
    " ".repeat(missing) + &text
}

fn pad(piece: &str, value: &str) -> String {
    let (flags, width, precision) = layout(piece);
    let value = match precision {
        Some(precision) => {
            text::decode(&text::encode(value)[..precision.min(text::encode(value).len())])
                .into_owned()
        }
        None => value.to_owned(),
    };
    fit(flags, width, value, false)
}

fn leading_int(value: &str) -> i64 {
    let value = value.trim_start();
    let sign = usize::from(value.starts_with(['-', '+']));
    let end = value[sign..].find(|c: char| !c.is_ascii_digit());
    let number = &value[..end.map_or(value.len(), |end| end + sign)];
    number
        .parse()
        .unwrap_or_else(|error: ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => i64::MAX,
            IntErrorKind::NegOverflow => i64::MIN,
            _ => 0,
        })
}

fn integer(piece: &str, letter: u8, value: &str) -> String {
    let (flags, width, precision) = layout(piece);
    // Without an `l` in the conversion, the number is truncated to 32 bits.
    let number = leading_int(value);
    let number = if piece.contains('l') {
        number
    } else {
        i64::from(number as i32)
    };
    let mut text = match letter {
        b'd' => number.to_string(),
        b'o' if piece.contains('l') => format!("{number:o}"),
        b'o' => format!("{:o}", number as i32),
        _ if piece.contains('l') => format!("{number:x}"),
        _ => format!("{:x}", number as i32),
    };
    if let Some(precision) = precision {
        text = fit(
            "0",
            precision + usize::from(text.starts_with('-')),
            text,
            true,
        );
    }
    if letter == b'd' && flags.contains('+') && number >= 0 {
        text.insert(0, '+');
    } else if letter == b'd' && flags.contains(' ') && number >= 0 {
        text.insert(0, ' ');
    }
    let base = match letter {
        b'x' if flags.contains('#') && number != 0 => "0x",
        b'o' if flags.contains('#') && !text.starts_with('0') => "0",
        _ => "",
    };
    if !base.is_empty() {
        if flags.contains('0') && !flags.contains('-') && precision.is_none() {
            text = fit("0", width.saturating_sub(base.len()), text, true);
        }
        text.insert_str(0, base);
    }
    fit(flags, width, text, precision.is_none())
}

fn real(piece: &str, value: &str) -> String {
    let (flags, width, precision) = layout(piece);
    let number = cfengine_policy::real::prefix(value).map_or(0.0, |(number, _)| number);
    let mut text = format!("{number:.*}", precision.unwrap_or(6)).to_ascii_lowercase();
    if flags.contains('+') && number >= 0.0 {
        text.insert(0, '+');
    } else if flags.contains(' ') && number >= 0.0 {
        text.insert(0, ' ');
    }
    fit(flags, width, text, true)
}
