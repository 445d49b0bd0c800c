//! Numbers in the agent's spelling: `10k`, `1_000` it has not, `inf` it has.

mod real;

pub(crate) use real::{real, starts_real};

/// What `inf` stands for.
pub(crate) const INFINITE: i64 = 999_999_999;

/// The letter behind a whole number that is no unit.
pub(crate) fn bad_unit(text: &str) -> Option<char> {
    let digits = text.trim_start().trim_start_matches(['-', '+']);
    let ending = digits
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim();
    let mut letters = ending.chars();
    let unit = letters.next().filter(|unit| !"kKmMgG%".contains(*unit))?;
    (letters.next().is_none() && digits.starts_with(|c: char| c.is_ascii_digit())).then_some(unit)
}

/// What the agent says of a text that is no whole number.
pub(crate) fn complaint(text: &str) -> String {
    let digits = text.trim_start().trim_start_matches(['-', '+']);
    let ending = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    if ending.len() == digits.len() {
        return format!("Failed to parse integer number: {text}");
    }
    format!("Anomalous ending '{ending}' while parsing integer number: {text}")
}

/// A whole number with a unit behind it perhaps; none where it is malformed.
pub(crate) fn int(text: &str) -> Option<i64> {
    if text == "inf" {
        return Some(INFINITE);
    }
    if text == "now" {
        return Some(crate::machine::now());
    }
    let (number, unit) = leading(text)?;
    let factor = match unit.trim() {
        "" => 1,
        "k" => 1000,
        "K" => 1024,
        "m" => 1_000_000,
        "M" => 1024 * 1024,
        "g" => 1_000_000_000,
        "G" => 1024 * 1024 * 1024,
        "%" => return (0..=100).contains(&number).then_some(-number),
        // A single letter that is no unit is not looked at.
        other if other.chars().count() == 1 => 1,
        _ => return None,
    };
    Some(number.saturating_mul(factor))
}

/// The whole number that a text begins with, and what stands behind it.
pub(crate) fn leading(text: &str) -> Option<(i64, &str)> {
    let text = text.trim_start();
    let sign = usize::from(text.starts_with(['-', '+']));
    let digits = text[sign..]
        .bytes()
        .position(|b| !b.is_ascii_digit())
        .map_or(text.len(), |at| at + sign);
    if digits == sign {
        return None;
    }
    let largest = if text.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    };
    let number = text[..digits].parse().unwrap_or(largest);
    Some((number, &text[digits..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stand_behind_numbers() {
        assert_eq!(int("10k"), Some(10_000));
        assert_eq!(int("-3"), Some(-3));
        assert_eq!(int("x"), None);
        assert_eq!(int("99999999999999999999"), Some(i64::MAX));
    }
}
