//! The place in the subject's sources that a finding names, such as where a panic came from.

use regex::Regex;
use std::sync::LazyLock;
use stickler_judge::{Arrow, Found, Report};

static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:\bat |: )((?:[^\s:]*/)?[^\s:/]+\.[A-Za-z]\w*)(?::|:? line )(\d+)").ok()
});

/// A line of a file of the subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source<'r> {
    /// As annotations name it.
    pub file: &'r str,
    /// From 1.
    pub line: u64,
}

/// The first such place in the message of a finding or else in what the subject answered or printed, if the subject has
/// one such file.
pub(crate) fn source<'r>(report: &'r Report, found: &Found) -> Option<Source<'r>> {
    let answers = found.excerpt.iter();
    let answers = answers.filter(|line| {
        matches!(line.arrow, Arrow::Received | Arrow::Happened)
            && (line.exchange == found.exchange || line.exchange.is_none())
    });
    let texts = std::iter::once(&found.message).chain(answers.map(|line| &line.text));
    let pattern = PLACE.as_ref()?;
    texts
        .flat_map(|text| pattern.captures_iter(text))
        .find_map(|place| {
            let named = place[1].trim_start_matches("./");
            let is_it = |file: &&String| {
                let rest = file.strip_suffix(named);
                rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
                    || named.ends_with(&format!("/{file}"))
            };
            let mut files = report.files.iter().filter(is_it);
            match (files.next(), files.next()) {
                (Some(file), None) => Some(Source {
                    file,
                    line: place[2].parse().ok().filter(|line| *line > 0)?,
                }),
                _ => None,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::PLACE;

    #[test]
    fn places_are_known_in_the_words_of_each_language() {
        let pattern = PLACE.as_ref().expect("a pattern");
        for (text, place) in [
            (
                "it panics: no value, at note/note.go:12",
                Some(("note/note.go", "12")),
            ),
            (
                "on standard error: no value at m.pl line 3, <STDIN>",
                Some(("m.pl", "3")),
            ),
            (
                "on standard error: m.sh: line 3: x: unbound",
                Some(("m.sh", "3")),
            ),
            (
                "on standard error: ./m.rb:7:in `one'",
                Some(("./m.rb", "7")),
            ),
            ("the address is 127.0.0.1:8022", None),
            ("result: 3:4", None),
        ] {
            let found = pattern.captures(text);
            let found = found.as_ref().map(|found| (&found[1], &found[2]));
            assert_eq!(found, place, "{text}");
        }
    }
}
