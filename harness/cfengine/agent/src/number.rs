//! Numbers in cf-agent's notation: `10k` and `inf` are numbers, `1_000` is not.

mod real;

pub(crate) use real::{leading as leading_real, real, starts_real};

use crate::context::Agent;
use crate::log::Severity;

/// Truncates a number; one out of range is converted as the processor does.
pub(crate) fn whole(number: f64) -> i64 {
    let fits = (i64::MIN as f64..i64::MAX as f64).contains(&number);
    if fits { number as i64 } else { i64::MIN }
}

/// The value of `inf`.
pub(crate) const INFINITE: i64 = 999_999_999;

/// The value that cf-agent uses for a text that is no integer.
pub(crate) const NONE: i64 = -678;

/// The letter after an integer, if it is no unit.
fn bad_unit(text: &str) -> Option<char> {
    let (_, ending) = leading(text)?;
    let mut letters = ending.chars();
    let unit = letters.next().filter(|unit| !" kKmMgG%".contains(*unit))?;
    letters.all(char::is_whitespace).then_some(unit)
}

/// cf-agent's message about a text that is no integer.
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
    /// Parses an integer; reports a fault.
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
            self.say(Severity::Error, complaint(text));
        }
        number
    }

    /// Does the same as [`Agent::int`], with cf-agent's fallback value for a fault.
    pub(crate) fn int_or_none(&mut self, text: &str) -> i64 {
        self.int(text).unwrap_or(NONE)
    }
}

/// An integer, perhaps with a unit; `None` if it is malformed.
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
        // Unknown units are ignored.
        _ => 1,
    };
    Some(number.saturating_mul(factor))
}

/// A number as `printf` shows it. The sign of a NaN is the one that the processor gave it.
pub(crate) fn shown(number: f64) -> String {
    match (number.is_nan(), number.is_sign_negative()) {
        (false, _) => format!("{number:.6}"),
        (true, true) => "-nan".to_owned(),
        (true, false) => "nan".to_owned(),
    }
}

/// The integer at the start of a text, and the text after it.
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
