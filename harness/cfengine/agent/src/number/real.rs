//! Real numbers, parsed as `sscanf("%lf%c%1s")` does.

use crate::context::Agent;
use crate::log::Severity;
use cfengine_policy::real::prefix;
use cfengine_policy::text;

/// Whether a text starts with a number.
pub(crate) fn starts_real(text: &str) -> bool {
    prefix(text).is_some()
}

/// The number at the start of a text; the rest is ignored.
pub(crate) fn leading(text: &str) -> Option<f64> {
    prefix(text).map(|(number, _)| number)
}

/// A real number, perhaps with a unit.
pub(crate) fn real(text: &str) -> Option<f64> {
    read(text).0.ok()
}

impl Agent {
    /// Parses a real number; reports a fault.
    pub(crate) fn real(&mut self, text: &str) -> Option<f64> {
        let (number, unit) = read(text);
        if let Some(unit) = unit {
            self.verbose(|| format!("Ignoring bad quantifier '{unit}' in real number: {text}"));
        }
        match number {
            Ok(number) => Some(number),
            Err(message) => {
                self.say(Severity::Error, message);
                None
            }
        }
    }
}

/// The number or an error, and a letter that is no unit.
fn read(text: &str) -> (Result<f64, String>, Option<String>) {
    let Some((number, rest)) = prefix(text) else {
        return (Err(format!("Failed to parse real number: {text}")), None);
    };
    // cf-agent reads bytes, not characters.
    let rest = text::encode(rest);
    let mut rest = rest.iter().copied();
    let unit = rest.next().unwrap_or(b' ');
    if let Some(more) = rest.find(|byte| !byte.is_ascii_whitespace() && *byte != 0x0b) {
        let ending = text::decode(&[unit, more]).into_owned();
        let message = format!("Anomalous ending '{ending}' while parsing real number: {text}");
        return (Err(message), None);
    }
    let factor = match unit {
        b' ' => 1.0,
        b'k' => 1000.0,
        b'K' => 1024.0,
        b'm' => 1e6,
        b'M' => 1024.0 * 1024.0,
        b'g' => 1e9,
        b'G' => 1024.0 * 1024.0 * 1024.0,
        b'%' if (0.0..=100.0).contains(&number) => -1.0,
        b'%' => return (Err(format!("Percentage out of range: {number:.2}")), None),
        _ => return (Ok(number), Some(text::decode(&[unit]).into_owned())),
    };
    (Ok(number * factor), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_ends_where_the_agent_says() {
        assert_eq!(real("1.5K"), Some(1536.0));
        assert_eq!(real(" -.5"), Some(-0.5));
        assert_eq!(real("1.5e"), Some(1.5));
        assert_eq!(real("1e3x"), Some(1000.0));
        assert_eq!(real("0x10k"), Some(16000.0));
        assert_eq!(real("50%"), Some(-50.0));
        assert_eq!(real("infinity"), Some(f64::INFINITY));
        for wrong in ["abc", "", "-", "--1", ".", "120%", "1 k", "1ab", "1_000"] {
            assert_eq!(real(wrong), None, "{wrong}");
        }
    }
}
