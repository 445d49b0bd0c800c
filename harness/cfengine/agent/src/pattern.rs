//! Regular expressions with PCRE's syntax; each is compiled once.

mod fault;

use crate::context::Agent;
use crate::log::Severity;
use cfengine_policy::text;
use pcre2::bytes::{Regex, RegexBuilder};
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// A cache of compiled patterns.
#[derive(Default)]
pub(crate) struct Patterns {
    compiled: HashMap<String, Result<Rc<Regex>, Rc<str>>>,
}

/// A match within a text.
pub(crate) struct Match {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) groups: Vec<String>,
}

/// The groups of a match: name or number, and text.
pub(crate) type Groups = Vec<(String, String)>;

/// The positions of a match's groups; `None` for a group that did not take part.
pub(crate) type Spans = Vec<Option<(usize, usize)>>;

impl Patterns {
    fn compile(&mut self, pattern: &str) -> Option<Rc<Regex>> {
        self.compiled(pattern).ok()
    }

    fn compiled(&mut self, pattern: &str) -> Result<Rc<Regex>, Rc<str>> {
        if let Some(found) = self.compiled.get(pattern) {
            return found.clone();
        }
        let mut builder = RegexBuilder::new();
        let regex = builder.multi_line(true).dotall(true);
        let regex = regex.build(&escaped(pattern));
        let regex = regex.map(Rc::new);
        let regex = regex.map_err(|error| fault::complaint(pattern, &error).into());
        self.compiled.insert(pattern.to_owned(), regex.clone());
        regex
    }

    /// cf-agent's message about a pattern that can't be compiled.
    pub(crate) fn fault(&mut self, pattern: &str) -> Option<Rc<str>> {
        self.compiled(pattern).err()
    }

    /// Whether the first match spans the whole text: `a|ab` does not match `ab`, since its first
    /// match is `a`.
    pub(crate) fn matches_fully(&mut self, pattern: &str, subject: &str) -> bool {
        let Some(regex) = self.compile(pattern) else {
            return false;
        };
        let subject = text::encode(subject);
        let found = regex.find(&subject).ok().flatten();
        found.is_some_and(|found| found.start() == 0 && found.end() == subject.len())
    }

    /// Whether the pattern matches a part of a text.
    pub(crate) fn matches_partly(&mut self, pattern: &str, subject: &str) -> bool {
        self.find(pattern, &text::encode(subject)).is_some()
    }

    /// The position of a pattern's first match. The subject is bytes, so a match may begin and end
    /// within a character.
    pub(crate) fn find(&mut self, pattern: &str, subject: &[u8]) -> Option<(usize, usize)> {
        let regex = self.compile(pattern)?;
        let found = regex.find(subject).ok()??;
        Some((found.start(), found.end()))
    }

    /// The first match, as in [`Patterns::find`], and its groups up to the last one that took part.
    pub(crate) fn captures(&mut self, pattern: &str, subject: &[u8]) -> Option<Match> {
        let regex = self.compile(pattern)?;
        let captures = regex.captures(subject).ok()??;
        let whole = captures.get(0)?;
        let last = (0..captures.len())
            .rev()
            .find(|n| captures.get(*n).is_some());
        let group = |number: usize| {
            let bytes = captures.get(number).map(|found| found.as_bytes());
            text::decode(bytes.unwrap_or_default()).into_owned()
        };
        Some(Match {
            start: whole.start(),
            end: whole.end(),
            groups: (0..=last.unwrap_or(0)).map(group).collect(),
        })
    }

    /// The positions of the first match after an offset, and of its groups up to the last one that
    /// took part. Empty if nothing matches.
    ///
    /// # Errors
    /// The pattern can't be compiled.
    pub(crate) fn spans(
        &mut self,
        pattern: &str,
        subject: &[u8],
        from: usize,
    ) -> Result<Spans, ()> {
        let regex = self.compile(pattern).ok_or(())?;
        let mut places = regex.capture_locations();
        let found = regex.captures_read_at(&mut places, subject, from);
        if !matches!(found, Ok(Some(_))) {
            return Ok(Vec::new());
        }
        let mut spans: Spans = (0..places.len()).map(|group| places.get(group)).collect();
        while spans.last().is_some_and(Option::is_none) {
            spans.pop();
        }
        Ok(spans)
    }

    /// The groups of the first match within a text.
    pub(crate) fn groups(&mut self, pattern: &str, subject: &str) -> Option<Groups> {
        let regex = self.compile(pattern)?;
        groups_of(&regex, subject, false)
    }

    /// The groups, if the first match spans the whole text.
    pub(crate) fn groups_fully(&mut self, pattern: &str, subject: &str) -> Option<Groups> {
        if !self.matches_fully(pattern, subject) {
            return None;
        }
        self.groups(pattern, subject)
    }

    /// The groups of the first match within a text, by name if they have one.
    pub(crate) fn named_groups(&mut self, pattern: &str, subject: &str) -> Option<Groups> {
        let regex = self.compile(pattern)?;
        groups_of(&regex, subject, true)
    }
}

/// Escapes the bytes of a pattern that are no UTF-8, since the library takes a `str`.
fn escaped(pattern: &str) -> Cow<'_, str> {
    match text::encode(pattern) {
        Cow::Borrowed(_) => Cow::Borrowed(pattern),
        Cow::Owned(bytes) => {
            let mut escaped = String::new();
            for chunk in bytes.utf8_chunks() {
                escaped.push_str(chunk.valid());
                escaped.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
            }
            Cow::Owned(escaped)
        }
    }
}

fn groups_of(regex: &Regex, subject: &str, names: bool) -> Option<Groups> {
    let subject = text::encode(subject);
    let captures = regex.captures(&subject).ok()??;
    let all = regex.capture_names();
    let mut groups = Vec::new();
    for number in 0..captures.len() {
        let name = all.get(number).cloned().flatten().filter(|_| names);
        let name = name.unwrap_or_else(|| number.to_string());
        let bytes = captures.get(number).map(|found| found.as_bytes());
        let value = text::decode(bytes.unwrap_or_default()).into_owned();
        groups.push((name, value));
    }
    Some(groups)
}

impl Agent {
    /// Whether a pattern can be compiled; reports the fault as cf-agent does at each compilation.
    pub(crate) fn compiles(&mut self, pattern: &str) -> bool {
        let fault = self.patterns.fault(pattern);
        if let Some(fault) = &fault {
            self.say(Severity::Error, fault);
        }
        fault.is_none()
    }

    /// Does the same as [`Patterns::matches_fully`], where cf-agent compiles the pattern again.
    pub(crate) fn matches_anew(&mut self, pattern: &str, subject: &str) -> bool {
        self.compiles(pattern) && self.patterns.matches_fully(pattern, subject)
    }
}
