//! Regular expressions, as PCRE has them, each compiled once.

use pcre2::bytes::{Regex, RegexBuilder};
use std::collections::HashMap;
use std::rc::Rc;
use stickler_policy::text;

/// Patterns that were compiled.
#[derive(Default)]
pub(crate) struct Patterns {
    compiled: HashMap<(String, Anchor), Option<Rc<Regex>>>,
}

/// How much of a text a pattern must match.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Anchor {
    Whole,
    Part,
}

/// A match of a part of a text.
pub(crate) struct Match {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) groups: Vec<String>,
}

/// Groups of a match: name or number, and text.
pub(crate) type Groups = Vec<(String, String)>;

impl Patterns {
    fn compile(&mut self, pattern: &str, anchor: Anchor) -> Option<Rc<Regex>> {
        let key = (pattern.to_owned(), anchor);
        if let Some(found) = self.compiled.get(&key) {
            return found.clone();
        }
        let source = match anchor {
            Anchor::Whole => format!("\\A(?:{pattern})\\z"),
            Anchor::Part => pattern.to_owned(),
        };
        // What is wrong alone may be right in brackets.
        let valid = RegexBuilder::new().multi_line(true).build(pattern).is_ok();
        let regex = RegexBuilder::new()
            .multi_line(true)
            .dotall(true)
            .build(&source);
        let regex = regex.ok().filter(|_| valid).map(Rc::new);
        self.compiled.insert(key, regex.clone());
        regex
    }

    /// Whether a pattern can be compiled.
    pub(crate) fn is_valid(&mut self, pattern: &str) -> bool {
        self.compile(pattern, Anchor::Part).is_some()
    }

    /// Whether the whole of a text matches.
    pub(crate) fn matches_fully(&mut self, pattern: &str, subject: &str) -> bool {
        let regex = self.compile(pattern, Anchor::Whole);
        let subject = text::encode(subject);
        regex.is_some_and(|regex| regex.is_match(&subject).unwrap_or(false))
    }

    /// Whether a part of a text matches.
    pub(crate) fn matches_partly(&mut self, pattern: &str, subject: &str) -> bool {
        self.find(pattern, subject).is_some()
    }

    /// Where a pattern first matches, in bytes of the text.
    pub(crate) fn find(&mut self, pattern: &str, subject: &str) -> Option<(usize, usize)> {
        let regex = self.compile(pattern, Anchor::Part)?;
        let found = regex.find(subject.as_bytes()).ok()??;
        Some((found.start(), found.end()))
    }

    /// Where a pattern first matches, and the groups up to the last one that
    /// takes part.
    pub(crate) fn captures(&mut self, pattern: &str, subject: &str) -> Option<Match> {
        let regex = self.compile(pattern, Anchor::Part)?;
        let captures = regex.captures(subject.as_bytes()).ok()??;
        let whole = captures.get(0)?;
        let last = (0..captures.len())
            .rev()
            .find(|n| captures.get(*n).is_some());
        let group = |number: usize| {
            let found = captures.get(number);
            let text = found.and_then(|m| subject.get(m.start()..m.end()));
            text.unwrap_or_default().to_owned()
        };
        Some(Match {
            start: whole.start(),
            end: whole.end(),
            groups: (0..=last.unwrap_or(0)).map(group).collect(),
        })
    }

    /// The groups where a part of a text matches.
    pub(crate) fn groups(&mut self, pattern: &str, subject: &str) -> Option<Groups> {
        let regex = self.compile(pattern, Anchor::Part)?;
        groups_of(&regex, subject, false)
    }

    /// The groups where the whole of a text matches.
    pub(crate) fn groups_fully(&mut self, pattern: &str, subject: &str) -> Option<Groups> {
        let regex = self.compile(pattern, Anchor::Whole)?;
        groups_of(&regex, subject, false)
    }

    /// The groups where a part of a text matches, by name where they have one.
    pub(crate) fn named_groups(&mut self, pattern: &str, subject: &str) -> Option<Groups> {
        let regex = self.compile(pattern, Anchor::Part)?;
        groups_of(&regex, subject, true)
    }
}

fn groups_of(regex: &Regex, subject: &str, names: bool) -> Option<Groups> {
    let captures = regex.captures(subject.as_bytes()).ok()??;
    let all = regex.capture_names();
    let mut groups = Vec::new();
    for number in 0..captures.len() {
        let name = all.get(number).cloned().flatten().filter(|_| names);
        let name = name.unwrap_or_else(|| number.to_string());
        let found = captures.get(number);
        let value = found.and_then(|m| subject.get(m.start()..m.end()));
        groups.push((name, value.unwrap_or_default().to_owned()));
    }
    Some(groups)
}
