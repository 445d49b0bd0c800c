//! Variables within a text: whether there are any, seen as the agent sees it.

/// Whether a text is one variable and nothing else: `$(x)`, `@{y}`,
/// `$(a$(b))`.
pub fn is_naked(text: &str) -> bool {
    let bytes = text.as_bytes();
    let close = match bytes {
        [b'$' | b'@', b'(', _, ..] => b')',
        [b'$' | b'@', b'{', _, ..] => b'}',
        _ => return false,
    };
    if bytes.last() != Some(&close) {
        return false;
    }
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => {
                let Some(less) = depth.checked_sub(1) else {
                    return false;
                };
                depth = less;
                if depth == 0 && at + 1 < bytes.len() {
                    return false;
                }
            }
            _ => {}
        }
    }
    depth == 0
}

/// Whether a text holds a variable, `$(…)` or `@(…)` with either kind of
/// bracket; none if a variable's brackets don't match. A `/` within the
/// brackets makes it a shell's text.
pub fn holds(text: &str) -> Option<bool> {
    let bytes = text.as_bytes();
    let (mut open, mut last_open, mut last_close) = (false, b'x', b'x');
    let (mut depth, mut found) = (0_i64, false);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'$' | b'@' if matches!(bytes.get(at + 1), Some(b'(' | b'{')) => open = true,
            b'(' | b'{' if open => {
                last_open = *byte;
                depth += 1;
            }
            b')' | b'}' if open => {
                depth -= 1;
                last_close = *byte;
            }
            b'/' if depth > 0 => return Some(false),
            _ => {}
        }
        let pair = matches!((last_open, last_close), (b'(', b')') | (b'{', b'}'));
        if pair && open && depth == 0 {
            found = true;
            open = false;
        }
    }
    if open && depth != 0 {
        return None;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

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
