//! Permissions, as octal digits or as letters.

/// The parser's state within an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Who,
    Which,
}

/// Whether a text is a mode: `644`, `u+x`, `go-w,u=rw`.
///
/// cf-agent accepts misplaced letters, as long as the result has some permission.
pub(super) fn is_mode(text: &str) -> bool {
    let mut state = State::Start;
    let mut value = 0_u32;
    let mut affected = 0_u32;
    let mut acted = false;
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'a' => affected |= 0o7777,
            b'u' => affected |= 0o4700,
            b'g' => affected |= 0o2070,
            b'o' => affected |= 0o0007,
            b'+' | b'-' | b'=' => {
                if acted {
                    return false;
                }
                state = State::Which;
                acted = true;
                at += 1;
                continue;
            }
            b'r' => value |= 0o444 & affected,
            b'w' => value |= 0o222 & affected,
            b'x' => value |= 0o111 & affected,
            b's' => value |= 0o6000 & affected,
            b't' => value |= 0o1000,
            b'0'..=b'7' => {
                let rest = &bytes[at..];
                let octal = rest.iter().take_while(|b| matches!(b, b'0'..=b'7'));
                value = octal.fold(0_u32, |value, digit| {
                    value.wrapping_mul(8).wrapping_add(u32::from(digit - b'0'))
                }) & !0o170_000;
                if value > 0o7777 {
                    return false;
                }
                state = State::Which;
                acted = true;
                at += rest.iter().take_while(|b| b.is_ascii_digit()).count();
                continue;
            }
            b',' => {
                (value, affected, acted) = (0, 0, false);
                state = State::Who;
                at += 1;
                continue;
            }
            _ => return false,
        }
        at += 1;
    }
    let complete = state != State::Who && value != 0;
    complete || matches!(text, "0000" | "000")
}

#[cfg(test)]
mod tests {
    use super::is_mode;

    #[test]
    fn modes_are_digits_or_letters() {
        for mode in ["644", "0755", "000", "u+x", "go-w,u=rw", "u=rwx,o=r"] {
            assert!(is_mode(mode), "{mode}");
        }
        for mode in ["", "0", "u", "u+", "u+x+w", "8", "rwx", "200644", "u+x,"] {
            assert!(!is_mode(mode), "{mode}");
        }
    }
}
