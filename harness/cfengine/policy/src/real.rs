//! Real numbers, parsed as `sscanf("%lf")` does.

/// The number at the start of a text, and the text after it.
pub fn prefix(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_ascii_start();
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    let digits = unsigned.strip_prefix("0x");
    let (number, rest) = match digits.or(unsigned.strip_prefix("0X")) {
        Some(digits) => hexadecimal(digits)?,
        None => named(unsigned).or_else(|| decimal(unsigned))?,
    };
    Some((sign * number, rest))
}

fn named(text: &str) -> Option<(f64, &str)> {
    const NAMES: [(&str, f64); 3] = [
        ("infinity", f64::INFINITY),
        ("inf", f64::INFINITY),
        ("nan", f64::NAN),
    ];
    NAMES.iter().find_map(|(name, number)| {
        let (start, rest) = text.split_at_checked(name.len())?;
        start.eq_ignore_ascii_case(name).then_some((*number, rest))
    })
}

/// A hexadecimal number; a fraction and a power of two may follow.
fn hexadecimal(digits: &str) -> Option<(f64, &str)> {
    let (whole, rest) = of_sixteen(digits);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(behind) => of_sixteen(behind),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let digits = whole.chars().chain(fraction.chars());
    let digits = digits.filter_map(|digit| digit.to_digit(16));
    let number = digits.fold(0.0, |number, digit| number * 16.0 + f64::from(digit));
    let number = number * 16_f64.powi(-(fraction.len().min(10_000) as i32));
    let Some(power) = rest.strip_prefix(['p', 'P']) else {
        return Some((number, rest));
    };
    let unsigned = power.strip_prefix(['-', '+']).unwrap_or(power);
    let behind = unsigned.trim_start_matches(|c: char| c.is_ascii_digit());
    let written = &power[..power.len() - behind.len()];
    // A `p` without a power is ignored.
    let power = written.parse().unwrap_or(0);
    Some((number * 2_f64.powi(power), behind))
}

fn of_sixteen(text: &str) -> (&str, &str) {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    text.split_at(text.len() - rest.len())
}

fn decimal(text: &str) -> Option<(f64, &str)> {
    let after = |text: &str| -> usize {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        text.len() - rest.len()
    };
    let mut end = after(text);
    if text[end..].starts_with('.') {
        end += 1 + after(&text[end + 1..]);
    }
    let number = &text[..end];
    if !number.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let Some(power) = text[end..].strip_prefix(['e', 'E']) else {
        return Some((number.parse().ok()?, &text[end..]));
    };
    let unsigned = power.strip_prefix(['-', '+']).unwrap_or(power);
    let rest = &unsigned[after(unsigned)..];
    // An `e` without a power is ignored.
    if rest.len() == unsigned.len() {
        return Some((number.parse().ok()?, rest));
    }
    let whole = &text[..text.len() - rest.len()];
    Some((whole.parse().ok()?, rest))
}
