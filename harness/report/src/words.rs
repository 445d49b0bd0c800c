//! Words and numbers that several formats share.

use stickler_judge::{Arrow, ExcerptLine, Found, Report, Reported};

/// The message of an outcome, or else what its rule requires.
pub(crate) fn message(outcome: &Reported) -> &str {
    outcome.message.as_deref().unwrap_or(&outcome.title)
}

/// Why a rule was not judged, or why its failure does not count.
pub(crate) fn reason<'o>(outcome: &'o Reported, otherwise: &'o str) -> &'o str {
    outcome.message.as_deref().unwrap_or(otherwise)
}

/// What follows from an outcome: codes of rules, and what happened; rules with the same message stand together.
pub(crate) fn consequences(outcome: &Reported) -> Vec<(String, &str)> {
    let mut all: Vec<(Vec<&str>, &str)> = Vec::new();
    for one in &outcome.explains {
        match all.iter_mut().find(|(_, message)| *message == one.message) {
            Some((codes, _)) => codes.push(&one.code),
            None => all.push((vec![&one.code], &one.message)),
        }
    }
    let listed = |codes: Vec<&str>| match codes.len() {
        more if more > LISTED + 2 => {
            let shown = codes[..LISTED].join(" ");
            format!("{shown} and {} more", thousands(more - LISTED))
        }
        _ => codes.join(" "),
    };
    let all = all.into_iter();
    all.map(|(codes, message)| (listed(codes), message))
        .collect()
}

/// How many of many codes with the same message are listed.
const LISTED: usize = 6;

/// The hints, line by line: a hint may contain line feeds.
pub(crate) fn hints(report: &Report) -> impl Iterator<Item = &str> {
    report.hints.iter().flat_map(|hint| hint.lines())
}

/// The sign of a direction.
pub(crate) fn sign(arrow: Arrow) -> &'static str {
    match arrow {
        Arrow::Sent => "→",
        Arrow::Received => "←",
        Arrow::Effect => "+",
        Arrow::Happened => "·",
    }
}

/// A line of evidence as one plain line, for formats without columns.
pub(crate) fn flat(line: &ExcerptLine) -> String {
    let mut text = match line.exchange {
        Some(number) => format!("#{number} "),
        None => String::new(),
    };
    text.push_str(sign(line.arrow));
    text.push(' ');
    text.push_str(&line.text);
    if let Some(note) = &line.note {
        text.push_str("   ^ ");
        text.push_str(note);
    }
    text
}

/// The number of cases in which all findings occurred.
pub(crate) fn cases(findings: &[Found]) -> usize {
    findings
        .iter()
        .map(|found| found.more.saturating_add(1))
        .sum()
}

/// `1 case`, `4,711 cases`.
pub fn count(number: usize, thing: &str) -> String {
    format!("{} {}", thousands(number), plural(number, thing))
}

/// `case`, `cases`.
pub(crate) fn plural(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{thing}{plural}")
}

/// A number with commas between thousands.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A duration for people.
pub(crate) fn duration(seconds: f64) -> String {
    let seconds = finite(seconds);
    if seconds < 0.1 {
        format!("{:.0} ms", seconds * 1000.0)
    } else if seconds < 120.0 {
        format!("{seconds:.1} s")
    } else {
        let whole = seconds.round();
        format!("{:.0} min {:.0} s", (whole / 60.0).floor(), whole % 60.0)
    }
}

/// A text that begins with a capital letter.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// A time as people read it: `4.7 s`, `12 s`, `3 min 5 s`, `2 h 14 min`, `3 d 4 h`.
pub fn clock(seconds: f64) -> String {
    let seconds = finite(seconds);
    let all = seconds as u64;
    match (all / 86_400, all / 3_600 % 24, all / 60 % 60, all % 60) {
        (0, 0, 0, 0) if seconds == 0.0 => "0 s".to_owned(),
        (0, 0, 0, 0..10) => format!("{seconds:.1} s"),
        (0, 0, 0, seconds) => format!("{seconds} s"),
        (0, 0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (0, hours, minutes, _) => format!("{hours} h {minutes} min"),
        (days, hours, _, _) => format!("{days} d {hours} h"),
    }
}

/// A duration that is a finite number.
pub(crate) fn finite(seconds: f64) -> f64 {
    if seconds.is_finite() {
        seconds.max(0.0)
    } else {
        0.0
    }
}

/// A word of a shell command, quoted if necessary.
pub(crate) fn shell(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%{}".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// A command line, as one writes it in a shell.
pub fn command_line(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| shell(word)).collect();
    words.join(" ")
}

/// The command that runs a reproducer again.
pub(crate) fn replay(reproducer: &str) -> String {
    format!("stickler replay {}", shell(reproducer))
}

/// Is this the code of a rule, which has a page, and not the name of a situation?
pub(crate) fn is_code(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_easily() {
        assert_eq!(count(1, "case"), "1 case");
        assert_eq!(count(1_234_567, "case"), "1,234,567 cases");
        assert_eq!(duration(0.0421), "42 ms");
        assert_eq!(duration(2.14), "2.1 s");
        assert_eq!(duration(3723.4), "62 min 3 s");
        assert_eq!(duration(f64::NAN), "0 ms");
        let times = [0.0, 4.71, 9.99, 59.9, 185.0, 8_040.0, 273_600.0];
        assert_eq!(
            times.map(clock),
            [
                "0 s",
                "4.7 s",
                "10.0 s",
                "59 s",
                "3 min 5 s",
                "2 h 14 min",
                "3 d 4 h"
            ]
        );
    }

    #[test]
    fn a_path_with_spaces_is_quoted() {
        assert_eq!(
            replay(".stickler/PM1-a.jsonl"),
            "stickler replay .stickler/PM1-a.jsonl"
        );
        assert_eq!(replay("it's"), r"stickler replay 'it'\''s'");
    }
}
