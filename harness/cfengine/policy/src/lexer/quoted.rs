//! Resolves the escapes of a quoted string as cf-agent does.

/// The value of a string.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Quoted {
    /// The text without quotes and escapes.
    pub(super) value: Vec<u8>,
    /// The number of bytes that were consumed. A backslash that joins lines right before an escape
    /// can end a string earlier than its quotes suggest.
    pub(super) length: usize,
}

/// Resolves the escapes in `token`, which starts and ends with its quote. `None` if the string does
/// not end there.
///
/// Only `\\`, `\"` and `\'` are escapes, in all three kinds of string. A backslash at the end of a
/// line removes the line end. Other text after a backslash is kept.
pub(super) fn unescape(token: &[u8]) -> Option<Quoted> {
    let quote = token[0];
    let inner = &token[1..token.len() - 1];
    if memchr::memchr2(b'\\', 0, inner).is_none() {
        return Some(Quoted {
            value: inner.to_vec(),
            length: token.len(),
        });
    }
    let mut value = Vec::with_capacity(inner.len());
    let mut at = 1;
    loop {
        match *token.get(at)? {
            0 => return None,
            byte if byte == quote => {
                return Some(Quoted {
                    value,
                    length: at + 1,
                });
            }
            b'\\' => {
                match token.get(at + 1)? {
                    b'\n' => at += 2,
                    b'\\' | b'"' | b'\'' => at += 1,
                    _ => {}
                }
                value.push(*token.get(at)?);
            }
            byte => value.push(byte),
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(token: &str) -> Option<String> {
        let quoted = unescape(token.as_bytes())?;
        Some(String::from_utf8_lossy(&quoted.value).into_owned())
    }

    #[test]
    fn three_escapes_and_no_others() {
        assert_eq!(value(r#""a\"b\'c\\d""#).as_deref(), Some(r#"a"b'c\d"#));
        assert_eq!(value(r#""a\nb\ c\$""#).as_deref(), Some(r"a\nb\ c\$"));
        assert_eq!(value(r#"'say \"hi\"'"#).as_deref(), Some(r#"say "hi""#));
        assert_eq!(value(r#"`\"`"#).as_deref(), Some("\""));
    }

    #[test]
    fn a_joined_line_takes_the_next_byte_unchanged() {
        assert_eq!(value("\"a\\\nb\"").as_deref(), Some("ab"));
        assert_eq!(value("\"a\\\n\""), None);
        let quoted = unescape(b"\"a\\\n\\\"b\"");
        assert_eq!(
            quoted,
            Some(Quoted {
                value: b"a\\".to_vec(),
                length: 6
            })
        );
    }

    #[test]
    fn a_nul_runs_away() {
        assert_eq!(value("\"a\0b\""), None);
    }
}
