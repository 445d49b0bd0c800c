//! What a quoted string says: its escapes taken out as the agent does it.

/// The value of a string, or how it goes wrong.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Quoted {
    /// The text without quotes and escapes.
    pub(super) value: Vec<u8>,
    /// How many bytes the string took. A line joined by a backslash right
    /// before an escape can end a string sooner than its quotes suggest.
    pub(super) length: usize,
}

/// Takes the escapes out of `token`, which starts and ends with its quote.
/// `None` where the string runs away.
///
/// Only `\\`, `\"` and `\'` are escapes, in all three kinds of string; a
/// backslash at the end of a line takes the line's end with it. Anything else
/// behind a backslash stays as it stands.
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
    fn a_joined_line_takes_the_next_byte_as_it_is() {
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
