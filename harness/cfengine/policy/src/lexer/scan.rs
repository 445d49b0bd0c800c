//! The lengths of tokens: each pattern of the language is a function from the remaining text to a
//! length. The longest match wins, as in cf-agent.

const WORD: u8 = 1;
const GUARD: u8 = 2;

/// The token classes of each byte.
static KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut at = 0;
    while at < kinds.len() {
        let byte = at as u8;
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 {
            kinds[at] = WORD | GUARD;
        } else if matches!(byte, b'.' | b'|' | b'&' | b'!' | b'(' | b')' | b':') {
            kinds[at] = GUARD;
        }
        at += 1;
    }
    kinds
};

/// Letters, digits, `_` and every byte beyond ASCII.
pub(super) fn is_word(byte: u8) -> bool {
    KINDS[usize::from(byte)] & WORD != 0
}

/// Bytes of a class guard, except blanks.
pub(super) fn is_guard(byte: u8) -> bool {
    KINDS[usize::from(byte)] & GUARD != 0
}

fn while_true(bytes: &[u8], holds: impl Fn(u8) -> bool) -> usize {
    bytes
        .iter()
        .position(|byte| !holds(*byte))
        .unwrap_or(bytes.len())
}

/// An identifier, `word` or `word:word`; 0 if there is none.
pub(super) fn identifier(bytes: &[u8]) -> usize {
    let first = while_true(bytes, is_word);
    if first == 0 || bytes.get(first) != Some(&b':') {
        return first;
    }
    match while_true(&bytes[first + 1..], is_word) {
        0 => first,
        second => first + 1 + second,
    }
}

/// A promise type and its colon: only letters and `_`.
pub(super) fn section(bytes: &[u8]) -> Option<usize> {
    let word = while_true(bytes, |byte| byte.is_ascii_alphabetic() || byte == b'_');
    (word > 0 && bytes.get(word) == Some(&b':')).then_some(word + 1)
}

/// A string with its quotes. A string in backquotes has no escapes.
pub(super) fn quoted(bytes: &[u8]) -> Option<usize> {
    let quote = *bytes.first()?;
    if quote == b'`' {
        return Some(memchr::memchr(b'`', &bytes[1..])? + 2);
    }
    let mut at = 1;
    loop {
        at += memchr::memchr2(quote, b'\\', bytes.get(at..)?)?;
        if bytes[at] == quote {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// A string that is no guard and has no escapes, NULs or line ends.
pub(super) fn plain(bytes: &[u8]) -> Option<usize> {
    let quote = *bytes.first()?;
    let inner = &bytes[1..];
    let end = inner
        .iter()
        .position(|byte| *byte == quote || matches!(byte, b'\\' | b'\n' | 0))?;
    (inner[end] == quote && !inner[end + 1..].starts_with(b"::")).then_some(end + 2)
}

/// A quoted class guard, `"…"::`, without escapes and NULs.
pub(super) fn quoted_guard(bytes: &[u8]) -> Option<usize> {
    let quote = *bytes.first()?;
    if quote == b'`' {
        return None;
    }
    let end = 1 + memchr::memchr2(quote, 0, &bytes[1..])?;
    (bytes[end] == quote && bytes[end + 1..].starts_with(b"::")).then_some(end + 3)
}

/// An unquoted variable: `$(x)`, `@{x}`, `$(x[$(i)])`.
pub(super) fn variable(bytes: &[u8]) -> Option<usize> {
    let close = match bytes.get(1)? {
        b'(' => b')',
        b'{' => b'}',
        _ => return None,
    };
    let rest = &bytes[2..];
    plain_variable(rest, close)
        .max(indexed_variable(rest, close))
        .map(|length| length + 2)
}

fn is_name(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'.' | b':')
}

fn plain_variable(rest: &[u8], close: u8) -> Option<usize> {
    let name = while_true(rest, |b| is_name(b) || matches!(b, b'[' | b']'));
    (name > 0 && rest.get(name) == Some(&close)).then_some(name + 1)
}

fn indexed_variable(rest: &[u8], close: u8) -> Option<usize> {
    let name = while_true(rest, is_name);
    if name == 0 || rest.get(name) != Some(&b'[') {
        return None;
    }
    let index = name + 1;
    let inside = while_true(&rest[index..], |b| {
        is_name(b) || matches!(b, b'$' | b'(' | b')' | b'{' | b'}')
    });
    let ends = while_true(&rest[index + inside..], |b| b == b']');
    let behind = index + inside + ends;
    (inside > 0 && ends > 0 && rest.get(behind) == Some(&close)).then_some(behind + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_take_one_colon() {
        assert_eq!(identifier(b"abc=>"), 3);
        assert_eq!(identifier(b"ns:abc:d"), 6);
        assert_eq!(identifier(b"vars:"), 4);
        assert_eq!(identifier(b"=>"), 0);
    }

    #[test]
    fn strings_end_at_their_own_quote() {
        assert_eq!(quoted(br#""a\"b" c"#), Some(6));
        assert_eq!(quoted(br"'a\\' c'"), Some(5));
        assert_eq!(quoted(br"`a\` c`"), Some(4));
        assert_eq!(quoted(br#""a\""#), None);
        assert_eq!(quoted(br#""a\"#), None);
    }

    #[test]
    fn plain_strings_hold_nothing_special() {
        assert_eq!(plain(br#""a'b" c"#), Some(5));
        assert_eq!(plain(b"''"), Some(2));
        for special in ["\"a\\\"b\"", "\"a\nb\"", "\"a\0b\"", "\"a\"::", "\"a"] {
            assert_eq!(plain(special.as_bytes()), None, "{special:?}");
        }
    }

    #[test]
    fn bare_variables_may_have_an_index() {
        assert_eq!(variable(b"$(a.b[c])"), Some(9));
        assert_eq!(variable(b"@{a}x"), Some(4));
        assert_eq!(variable(b"$(a[$(b)])"), Some(10));
        assert_eq!(variable(b"$(a[$(b)][c])"), None);
        assert_eq!(variable(b"$()"), None);
        assert_eq!(variable(b"$(a b)"), None);
    }
}
