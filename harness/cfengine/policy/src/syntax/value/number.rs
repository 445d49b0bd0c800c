//! Numbers as cf-agent parses them: a number, perhaps one letter for its size, and blanks. Unknown
//! letters are accepted.

use crate::real::prefix;
use crate::syntax::range::INFINITY;

/// cf-agent's constant for "no number".
pub(super) const NONE: i64 = -678;

/// An integer.
pub(super) fn int(text: &str) -> Option<i64> {
    match text {
        "inf" => return Some(INFINITY),
        // The time of the run; any number of this size gives the same result for every range.
        "now" => return Some(1_700_000_000),
        _ => {}
    }
    let rest = text.trim_start_matches(is_space);
    let digits = digits_end(rest, signed(rest));
    let number = &rest[..digits];
    if !number.ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let number: i128 = number.trim_start_matches('+').parse().unwrap_or(i128::MAX);
    let size = size(&rest[digits..])?;
    if size == Some('%') {
        return (0..=100).contains(&number).then_some(-(number as i64));
    }
    let factor = size.map_or(1, factor);
    let clamped = number.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    let number = clamped.wrapping_mul(factor);
    (number != NONE).then_some(number)
}

/// A real number.
pub(super) fn real(text: &str) -> Option<f64> {
    let (number, rest) = prefix(text)?;
    match size(rest)? {
        Some('%') => (0.0..=100.0).contains(&number).then_some(-number),
        Some(letter) => Some(number * factor(letter) as f64),
        None => Some(number),
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

fn signed(text: &str) -> usize {
    usize::from(text.starts_with(['+', '-']))
}

fn digits_end(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    from + rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len())
}

/// The letter after a number, if any; `None` if there is more than one.
fn size(rest: &str) -> Option<Option<char>> {
    let mut chars = rest.chars();
    let letter = chars.next();
    chars.all(is_space).then_some(letter)
}

fn factor(letter: char) -> i64 {
    match letter {
        'k' => 1_000,
        'K' => 1_024,
        'm' => 1_000_000,
        'M' => 1_048_576,
        'g' => 1_000_000_000,
        'G' => 1_073_741_824,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_sizes() {
        assert_eq!(int("42"), Some(42));
        assert_eq!(int(" -3 "), Some(-3));
        assert_eq!(int("2k"), Some(2_000));
        assert_eq!(int("2x"), Some(2));
        assert_eq!(int("50%"), Some(-50));
        assert_eq!(int("101%"), None);
        assert_eq!(int("1.5"), None);
        assert_eq!(int("2kk"), None);
        assert_eq!(int("xyz"), None);
        assert_eq!(int("-"), None);
        assert_eq!(int(""), None);
    }

    #[test]
    fn numbers_may_be_broken() {
        assert_eq!(real("1.5"), Some(1.5));
        assert_eq!(real(".5k"), Some(500.0));
        assert_eq!(real("1e3"), Some(1_000.0));
        assert_eq!(real("1.2.3"), None);
        assert_eq!(real("1.2e.3"), None);
        assert_eq!(real("."), None);
        assert_eq!(real("e7"), None);
    }
}
