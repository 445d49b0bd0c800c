//! The orders in which lists are sorted.

use crate::number;
use crate::value::Text;
use std::net::Ipv6Addr;

/// Whether the first text comes before the second. Texts that the order treats as equal may come in
/// any sequence.
pub(super) type Less = fn(&str, &str) -> bool;

/// The order of this name; byte order if no other has the name.
pub(super) fn named(name: &str) -> Less {
    match name {
        "int" => |a, b| by(a, b, |text| leading(text).map(number::whole), |a, b| a < b),
        "real" => |a, b| by(a, b, leading, |a, b| a < b),
        _ if name.eq_ignore_ascii_case("ip") => |a, b| by(a, b, address, |a, b| a < b),
        _ if name.eq_ignore_ascii_case("mac") => |a, b| match (card(a), card(b)) {
            // Two equal addresses: neither comes first.
            (Some(a), Some(b)) => a < b,
            (a, b) if a.is_some() || b.is_some() => b.is_some(),
            _ => bytes(a, b),
        },
        _ => bytes,
    }
}

fn bytes(a: &str, b: &str) -> bool {
    a < b
}

/// Texts without a key come first.
fn by<T>(a: &str, b: &str, key: fn(&str) -> Option<T>, less: fn(&T, &T) -> bool) -> bool {
    match (key(a), key(b)) {
        (Some(a), Some(b)) => less(&a, &b),
        (None, None) => bytes(a, b),
        (a, _) => a.is_none(),
    }
}

fn leading(text: &str) -> Option<f64> {
    number::leading_real(text)
}

/// An IPv4 address, perhaps with a port, or an IPv6 address. IPv6 addresses with capital letters
/// are not recognized.
#[derive(PartialEq, PartialOrd)]
enum Address {
    Four([u32; 4], u32),
    Six([u16; 8]),
}

fn address(text: &str) -> Option<Address> {
    let decimal = |digits: &str, most: u32| {
        let digits = Some(digits).filter(|d| d.bytes().all(|b| b.is_ascii_digit()));
        digits?.parse().ok().filter(|number: &u32| *number <= most)
    };
    let four = || {
        let (host, port) = match text.split_once(':') {
            Some((host, port)) => (host, decimal(port, 65_535)?),
            None => (text, 0),
        };
        let parts: Option<Vec<u32>> = host.split('.').map(|part| decimal(part, 255)).collect();
        Some(Address::Four(parts?.try_into().ok()?, port))
    };
    let six = || {
        let plain = !text.contains(|c: char| c.is_ascii_uppercase() || c == '.');
        let address: Ipv6Addr = Some(text).filter(|_| plain)?.parse().ok()?;
        Some(Address::Six(address.segments()))
    };
    four().or_else(six)
}

/// The six bytes of a MAC address, as `sscanf` reads them.
fn card(text: &str) -> Option<[u8; 6]> {
    let colons = text.len() > 12;
    let mut rest = text;
    let mut out = [0; 6];
    for (at, byte) in out.iter_mut().enumerate() {
        if colons && at > 0 {
            rest = rest.strip_prefix(':')?;
        }
        rest = rest.trim_ascii_start();
        let is_digit = |b: u8| b.is_ascii_hexdigit();
        let length = rest
            .bytes()
            .position(|b| !is_digit(b))
            .unwrap_or(rest.len());
        let length = if colons { length } else { length.min(2) };
        // A number that is too large counts by its last byte.
        let digits = &rest[..length];
        let last = &digits[digits.len().saturating_sub(2)..];
        *byte = u8::from_str_radix(last, 16).ok()?;
        rest = &rest[length..];
    }
    Some(out)
}

/// A bottom-up merge sort. Of two texts that the order treats as equal, the later one is put first.
pub(super) fn sort(texts: &mut Vec<Text>, less: Less) {
    let mut length = 1;
    while length < texts.len() {
        let mut merged = Vec::with_capacity(texts.len());
        for pair in texts.chunks(length * 2) {
            let (mut left, mut right) = pair.split_at(length.min(pair.len()));
            while let ([a, more @ ..], [b, others @ ..]) = (left, right) {
                if less(a, b) {
                    merged.push(a.clone());
                    left = more;
                } else {
                    merged.push(b.clone());
                    right = others;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        *texts = merged;
        length *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(texts: &[&str], order: &str) -> Vec<String> {
        let mut texts = texts.iter().map(|text| Text::from(*text)).collect();
        sort(&mut texts, named(order));
        texts.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn sorting_reverses_elements_that_compare_equal() {
        let texts = ["0", "100.0", "0.1", "3.2"];
        assert_eq!(sorted(&texts, "int"), ["0.1", "0", "3.2", "100.0"]);
        let texts = ["", "-2.1", "0.88", "b", "00.88"];
        assert_eq!(sorted(&texts, "real"), ["", "b", "-2.1", "00.88", "0.88"]);
    }

    #[test]
    fn sorting_puts_valid_addresses_after_invalid_ones() {
        let texts = ["100.200.100.0", "1.2.3.4", "::1", "9.7", "FE80::1"];
        let right = ["9.7", "FE80::1", "1.2.3.4", "100.200.100.0", "::1"];
        assert_eq!(sorted(&texts, "IP"), right);
        let texts = ["1:14:BF:F7:23:1D", "00:14:BF:F7:23:1D", ":14:BF:F7:23:1D"];
        let right = [":14:BF:F7:23:1D", "00:14:BF:F7:23:1D", "1:14:BF:F7:23:1D"];
        assert_eq!(sorted(&texts, "mac"), right);
    }
}
