//! Values that grow without losing their form: a long path is still a path, and long JSON is still
//! JSON.

use cfengine_protocol::wire::json;

/// A text and the place where it can grow.
pub(super) struct Growing<'t> {
    before: &'t [u8],
    after: &'t [u8],
    /// What comes before each new part.
    parting: &'static str,
    /// Does the form allow blanks?
    blanks: bool,
}

impl<'t> Growing<'t> {
    /// `None` if a long text of this form would be another kind of value.
    pub(super) fn of(text: &'t [u8]) -> Option<Self> {
        // Numbers, modes, dates, versions and addresses.
        if !text.iter().any(u8::is_ascii_alphabetic) || is_symbolic_mode(text) || is_date(text) {
            return None;
        }
        let at_end = |parting, blanks| Growing {
            before: text,
            after: b"",
            parting,
            blanks,
        };
        if text.starts_with(b"{") || text.starts_with(b"[") {
            let quote = text.iter().rposition(|byte| *byte == b'"');
            return match (json::parse(text), quote) {
                (Err(_), _) => Some(at_end("x", true)),
                // After the last quote of a key, a value follows.
                (Ok(_), Some(at)) if !text[at..].contains(&b':') => Some(Growing {
                    before: &text[..at],
                    after: &text[at..],
                    parting: "x",
                    blanks: true,
                }),
                (Ok(_), _) => None,
            };
        }
        let holds = |wanted: &[u8]| text.windows(wanted.len()).any(|part| part == wanted);
        let is_address = holds(b"://") && !text.contains(&b' ');
        Some(match text {
            _ if is_address && (holds(b"?") || holds(b"#")) => at_end("x", false),
            // Each name in a path has a limit.
            _ if is_address => at_end("/x", false),
            [b'/', ..] if !text.contains(&b'\n') => at_end("/x", false),
            _ => at_end("x", true),
        })
    }

    /// At least this many bytes, without new blanks. The new parts are numbered, so that a lost one
    /// is visible; there is at least one.
    pub(super) fn in_one_word(&self, size: usize) -> Vec<u8> {
        self.parted_by(self.parting, size)
    }

    /// The same with blanks between the new parts, if the form allows them.
    pub(super) fn in_words(&self, size: usize) -> Option<Vec<u8>> {
        self.blanks.then(|| self.parted_by(" ", size))
    }

    fn parted_by(&self, parting: &str, size: usize) -> Vec<u8> {
        let mut text = self.before.to_vec();
        // Formatting the numbers would take most of the time of planning.
        let mut number = *b"000000";
        loop {
            text.extend_from_slice(parting.as_bytes());
            text.extend_from_slice(&number);
            if text.len() + self.after.len() >= size {
                break;
            }
            for digit in number.iter_mut().rev() {
                *digit = if *digit == b'9' { b'0' } else { *digit + 1 };
                if *digit != b'0' {
                    break;
                }
            }
        }
        text.extend_from_slice(self.after);
        text
    }
}

/// `u=rwx,go+r`
fn is_symbolic_mode(text: &[u8]) -> bool {
    text.split(|byte| *byte == b',').all(|clause| {
        let sign = clause.iter().position(|byte| b"=+-".contains(byte));
        sign.is_some_and(|at| {
            let (who, rights) = (&clause[..at], &clause[at + 1..]);
            who.iter().all(|byte| b"ugoa".contains(byte))
                && rights.iter().all(|byte| b"rwxXst".contains(byte))
        })
    })
}

/// `2026-01-31T12:00:00Z`
fn is_date(text: &[u8]) -> bool {
    let form = b"dddd-dd-dd";
    text.len() >= form.len()
        && text.iter().zip(form).all(|(byte, wanted)| match wanted {
            b'd' => byte.is_ascii_digit(),
            other => byte == other,
        })
}

#[cfg(test)]
mod tests {
    use super::Growing;

    fn grown(text: &str, size: usize) -> Option<String> {
        let growing = Growing::of(text.as_bytes())?;
        String::from_utf8(growing.in_one_word(size)).ok()
    }

    #[test]
    fn each_form_grows_in_its_own_way() {
        let expected = [
            ("hello", "hellox000000x000001"),
            ("/etc/motd", "/etc/motd/x000000/x000001"),
            ("https://a.org/b", "https://a.org/b/x000000/x000001"),
            ("https://a.org/?b=c", "https://a.org/?b=cx000000x000001"),
            (r#"{"a": ["b"]}"#, r#"{"a": ["bx000000x000001"]}"#),
            ("[section]", "[section]x000000x000001"),
        ];
        for (text, long) in expected {
            let size = long.len();
            assert_eq!(grown(text, size).as_deref(), Some(long), "{text}");
            let short = grown(text, 0).expect("a short one");
            assert!(short.len() < size && short != text, "{text}");
        }
    }

    #[test]
    fn values_do_not_grow_into_another_kind() {
        for text in [
            "42",
            "-1.5",
            "0644",
            "u=rwx,go=rx",
            "2026-01-31",
            "2026-01-31T12:00:00Z",
            "10.0.0.1",
            r#"{"a": 1}"#,
            "",
        ] {
            assert_eq!(grown(text, 100), None, "{text}");
        }
    }

    #[test]
    fn only_forms_with_blanks_grow_in_words() {
        let words = |text: &str| Growing::of(text.as_bytes()).and_then(|one| one.in_words(10));
        assert_eq!(words("hello"), Some(b"hello 000000".to_vec()));
        assert_eq!(words("/etc/motd"), None);
    }
}
