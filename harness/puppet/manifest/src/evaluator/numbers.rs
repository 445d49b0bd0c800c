//! Numbers, and strings that Puppet takes for numbers.

use num_bigint::BigInt;
use puppet_types::Value;

/// A number of either kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Number {
    Integer(BigInt),
    Float(f64),
}

impl Number {
    pub(super) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Integer(number) => Some(Self::Integer(number.clone())),
            Value::Float(number) => Some(Self::Float(*number)),
            Value::String(text) => read(text),
            _ => None,
        }
    }

    pub(super) fn float(&self) -> f64 {
        match self {
            Self::Integer(number) => num_traits::ToPrimitive::to_f64(number).unwrap_or(f64::NAN),
            Self::Float(number) => *number,
        }
    }

    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Integer(number) => Value::Integer(number),
            Self::Float(number) => Value::Float(number),
        }
    }
}

fn read(text: &str) -> Option<Number> {
    // Puppet drops this prefix of names.
    let text = text.strip_prefix("::").unwrap_or(text);
    let blank = |one: char| one.is_whitespace() && !matches!(one, '\n' | '\r' | '\u{b}' | '\u{c}');
    let text = text.trim_matches(blank);
    let negative = text.starts_with('-');
    let text = text
        .strip_prefix(['-', '+'])
        .map_or(text, |rest| rest.trim_start_matches(blank));
    let signed = |number: BigInt| Number::Integer(if negative { -number } else { number });
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let hex = !digits.is_empty() && digits.bytes().all(|one| one.is_ascii_hexdigit());
        return BigInt::parse_bytes(digits.as_bytes(), 16)
            .filter(|_| hex)
            .map(signed);
    }
    let whole = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(whole);
    if digits.is_empty() {
        return None;
    }
    let octal = digits.len() > 1 && digits.starts_with('0');
    let radix = if octal { 8 } else { 10 };
    let valid = !octal || digits.bytes().all(|one| matches!(one, b'0'..=b'7'));
    if rest.is_empty() {
        return BigInt::parse_bytes(digits.as_bytes(), radix)
            .filter(|_| valid)
            .map(signed);
    }
    let mut tail = rest;
    let mut all_zeros = true;
    if let Some(fraction) = tail.strip_prefix('.') {
        let count = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return None;
        }
        all_zeros = fraction[..count].bytes().all(|one| one == b'0');
        tail = &fraction[count..];
    }
    if let Some(exponent) = tail.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix('-').unwrap_or(exponent);
        let digits_only = !exponent.is_empty() && exponent.bytes().all(|one| one.is_ascii_digit());
        // A zero with an exponent is no number to Puppet.
        let zero = all_zeros && digits.bytes().all(|one| one == b'0');
        if !digits_only || zero {
            return None;
        }
    } else if !tail.is_empty() {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    (valid && number.is_finite()).then_some(Number::Float(if negative { -number } else { number }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_read_as_puppet_does() {
        let number = |text: &str| read(text);
        let integer = |number: i64| Some(Number::Integer(number.into()));
        assert_eq!(number(" -0x1F "), integer(-31));
        assert_eq!(number("010"), integer(8));
        assert_eq!(number("- 5"), integer(-5));
        assert_eq!(number("08"), None);
        assert_eq!(number("0e5"), None);
        assert_eq!(number("1.5e3"), Some(Number::Float(1500.0)));
        assert_eq!(number("1."), None);
        assert_eq!(number(""), None);
    }
}
