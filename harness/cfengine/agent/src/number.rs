//! Numbers in the agent's spelling: `10k`, `1_000` it has not, `inf` it has.

mod real;

pub(crate) use real::{leading as leading_real, real, starts_real};

use crate::context::Agent;
use crate::log::Level;

/// A number without its fraction, as the processor converts what is too great.
pub(crate) fn whole(number: f64) -> i64 {
    let fits = (i64::MIN as f64..i64::MAX as f64).contains(&number);
    if fits { number as i64 } else { i64::MIN }
}

/// What `inf` stands for.
pub(crate) const INFINITE: i64 = 999_999_999;

/// What the agent goes on with where a text is no whole number.
pub(crate) const NONE: i64 = -678;

/// The letter behind a whole number that is no unit.
fn bad_unit(text: &str) -> Option<char> {
    let (_, ending) = leading(text)?;
    let mut letters = ending.chars();
    let unit = letters.next().filter(|unit| !" kKmMgG%".contains(*unit))?;
    letters.all(char::is_whitespace).then_some(unit)
}

/// What the agent says of a text that is no whole number.
fn complaint(text: &str) -> String {
    let digits = text.trim_start().trim_start_matches(['-', '+']);
    let ending = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let mut letters = ending.chars();
    if ending.len() < digits.len()
        && let (Some(unit), Some(more)) = (letters.next(), letters.find(|c| !c.is_whitespace()))
    {
        return format!("Anomalous ending '{unit}{more}' while parsing integer number: {text}");
    }
    if let Some((number, "%")) = leading(text) {
        return format!("Percentage out of range: {number}");
    }
    format!("Failed to parse integer number: {text}")
}

impl Agent {
    /// The whole number, where there is one; says what is wrong.
    pub(crate) fn int(&mut self, text: &str) -> Option<i64> {
        if let Some(unit) = bad_unit(text) {
            self.verbose(|| format!("Ignoring bad quantifier '{unit}' in integer: {text}"));
        }
        let number = int(text);
        if number.is_none() && text.contains('$') {
            self.verbose(|| {
                format!("Ignoring failed to parse integer '{text}' because of possibly unexpanded variable")
            });
        } else if number.is_none() {
            self.say(Level::Error, complaint(text));
        }
        number
    }

    /// As [`Agent::int`], with what the agent goes on with where there is no number.
    pub(crate) fn int_or_none(&mut self, text: &str) -> i64 {
        self.int(text).unwrap_or(NONE)
    }
}

/// A whole number with a unit behind it perhaps; none where it is malformed.
pub(crate) fn int(text: &str) -> Option<i64> {
    if text == "inf" {
        return Some(INFINITE);
    }
    if text == "now" {
        return Some(crate::machine::now());
    }
    let (number, ending) = leading(text)?;
    let mut letters = ending.chars();
    let unit = letters.next();
    if !letters.all(char::is_whitespace) {
        return None;
    }
    let factor = match unit {
        Some('k') => 1000,
        Some('K') => 1024,
        Some('m') => 1_000_000,
        Some('M') => 1024 * 1024,
        Some('g') => 1_000_000_000,
        Some('G') => 1024 * 1024 * 1024,
        Some('%') => return (0..=100).contains(&number).then_some(-number),
        // What is no unit is not looked at.
        _ => 1,
    };
    Some(number.saturating_mul(factor))
}

/// A number as `printf` shows it; one that is none, as the processor made it.
pub(crate) fn shown(number: f64) -> String {
    match (number.is_nan(), number.is_sign_negative()) {
        (false, _) => format!("{number:.6}"),
        (true, true) => "-nan".to_owned(),
        (true, false) => "nan".to_owned(),
    }
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
        assert_eq!(int("7x "), Some(7));
        for wrong in ["x", "1 k", "2\nb", "8kk"] {
            assert_eq!(int(wrong), None, "{wrong}");
        }
        assert_eq!(int("99999999999999999999"), Some(i64::MAX));
    }
}
