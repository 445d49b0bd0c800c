//! Finds variables in a text, by cf-agent's own rules.

/// Whether a text contains `$` or `@`; otherwise it has no variables.
pub fn may_refer(text: &str) -> bool {
    memchr::memchr2(b'$', b'@', text.as_bytes()).is_some()
}

/// Counts the references that are closed properly. `sigils` are the bytes that start one. Unless
/// `paths` is set, a `/` inside a reference means that the text is a shell's and has none.
fn references(text: &str, sigils: &[u8], paths: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut left, mut right) = (b'x', b'x');
    let (mut open, mut depth, mut found) = (false, 0_i64, 0);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'{' if open => {
                left = *byte;
                depth += 1;
            }
            b')' | b'}' if open => {
                depth -= 1;
                right = *byte;
            }
            _ if sigils.contains(byte) && matches!(bytes.get(at + 1), Some(b'(' | b'{')) => {
                open = true;
            }
            _ => {}
        }
        if !paths && depth > 0 && *byte == b'/' {
            return Some(0);
        }
        if open && depth == 0 && matches!((left, right), (b'(', b')') | (b'{', b'}')) {
            found += 1;
            open = false;
        }
    }
    let broken = if paths {
        depth != 0
    } else {
        open && depth != 0
    };
    (!broken).then_some(found)
}

/// Whether a text has a `$(…)` to expand.
pub fn is_expandable(text: &str) -> bool {
    memchr::memchr(b'$', text.as_bytes()).is_some()
        && references(text, b"$", true).is_some_and(|found| found > 0)
}

/// Whether a text has a `$(…)` or `@(…)` that may be a variable; `None` if brackets do not match. A
/// `/` within the brackets marks text of a shell.
pub fn holds(text: &str) -> Option<bool> {
    references(text, b"$@", false).map(|found| found > 0)
}

/// Whether a text has a `$(…)` or `@(…)` that may be a variable.
pub fn has_variables(text: &str) -> bool {
    may_refer(text) && holds(text) == Some(true)
}

/// Whether a text has a `$(…)` that may be a variable.
pub fn has_scalars(text: &str) -> bool {
    memchr::memchr(b'$', text.as_bytes()).is_some()
        && references(text, b"$", false).is_some_and(|found| found > 0)
}

/// The name in `@(name)` or `$(name)`, if that is the whole text.
pub fn naked(text: &str, sigil: u8) -> Option<&str> {
    let bytes = text.as_bytes();
    let close = match bytes.get(1)? {
        b'(' => b')',
        b'{' => b'}',
        _ => return None,
    };
    if bytes[0] != sigil || *bytes.last()? != close || bytes.len() < 3 {
        return None;
    }
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && at + 1 < bytes.len() {
                    return None;
                }
            }
            _ => {}
        }
    }
    (depth == 0).then(|| &text[2..text.len() - 1])
}

/// Whether a text is exactly one variable: `$(x)`, `@{y}`, `$(a$(b))`.
pub fn is_naked(text: &str) -> bool {
    naked(text, b'$').is_some() || naked(text, b'@').is_some()
}

/// Whether a text refers to a given variable, by `$` or `@`.
pub fn refers_to(text: &str, name: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'$', b'@', &bytes[at..]) {
        at += found + 1;
        let close = match bytes.get(at) {
            Some(b'(') => b')',
            Some(b'{') => b'}',
            _ => continue,
        };
        let inside = &bytes[at + 1..];
        if inside.starts_with(name.as_bytes()) && inside.get(name.len()) == Some(&close) {
            return true;
        }
    }
    false
}

/// Whether a text still has a reference, so that it must not be sent to a module.
pub fn is_unresolved(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2_iter(b'$', b'@', bytes).any(|at| matches!(bytes.get(at + 1), Some(b'(' | b'{')))
}

/// Why a reference has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endless {
    /// The text ends before the reference does.
    Open,
    /// A bracket of the other kind closes a bracket.
    Mismatch,
    /// Brackets are nested too deep.
    Deep,
}

/// The byte length of `$(…)` at the start of a text.
///
/// # Errors
/// The brackets do not match, as far as cf-agent follows them.
pub fn reference_length(text: &str) -> Result<usize, Endless> {
    let mut stack = Vec::with_capacity(8);
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'(' | b'{' if stack.len() < 9 => stack.push(byte),
            b'(' | b'{' => return Err(Endless::Deep),
            b')' if stack.pop() != Some(b'(') => return Err(Endless::Mismatch),
            b'}' if stack.pop() != Some(b'{') => return Err(Endless::Mismatch),
            _ => {}
        }
        if stack.is_empty() {
            return Ok(at + 1);
        }
    }
    Err(Endless::Open)
}

/// The offset of the next `$(` or `${`.
pub fn next_reference(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'$', bytes).find(|at| matches!(bytes.get(at + 1), Some(b'(' | b'{')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_distinguished_from_text() {
        assert!(is_expandable("a $(b) c"));
        assert!(is_expandable("$(a[$(b)])"));
        assert!(!is_expandable("$(a"));
        assert!(!is_expandable("$a @(b)"));
        assert!(has_variables("@(b)"));
        assert!(!has_variables("$(/bin/cat x)"));
        assert!(!has_scalars("@(b)"));
    }

    #[test]
    fn naked_variables_are_the_whole_text() {
        assert_eq!(naked("@(a.b)", b'@'), Some("a.b"));
        assert_eq!(naked("@{a$(b)}", b'@'), Some("a$(b)"));
        assert_eq!(naked("@(a)@(b)", b'@'), None);
        assert_eq!(naked("$(a)", b'@'), None);
        assert_eq!(naked("@", b'@'), None);
    }

    #[test]
    fn a_variable_is_found_in_a_text() {
        assert!(refers_to("x ${a} y", "a"));
        assert!(!refers_to("x $(ab) y", "a"));
        assert!(!refers_to("x $(a} y", "a"));
    }

    #[test]
    fn a_reference_ends_at_its_own_bracket() {
        assert_eq!(reference_length("$(a[${b}])c"), Ok(10));
        assert_eq!(reference_length("$(a}"), Err(Endless::Mismatch));
        assert_eq!(reference_length("$(a"), Err(Endless::Open));
    }

    #[test]
    fn naked_variables_stand_alone() {
        for text in ["$(a)", "@{a.b}", "$(a$(b))", "$(a[$(b)])"] {
            assert!(is_naked(text), "{text}");
        }
        for text in ["$(a)b", "x$(a)", "$(a)$(b)", "$(a}", "$()x", "$", "$("] {
            assert!(!is_naked(text), "{text}");
        }
    }

    #[test]
    fn variables_are_found_by_their_brackets() {
        assert_eq!(holds("a $(b) c"), Some(true));
        assert_eq!(holds("@(l)"), Some(true));
        assert_eq!(holds("a $b"), Some(false));
        assert_eq!(holds("$(/bin/cat x)"), Some(false));
        assert_eq!(holds("a$("), None);
    }
}
