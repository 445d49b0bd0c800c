//! Matching that leaves groups behind for `$(match.…)`.

use crate::context::Agent;
use crate::value::Text;

impl Agent {
    /// Whether a pattern's first match is the whole of a text.
    pub(super) fn match_whole(&mut self, pattern: &str, text: &str) -> bool {
        pattern == text
            || self
                .match_part(pattern, text)
                .is_some_and(|(start, end)| start == 0 && end == text.len())
    }

    /// Where a pattern first matches a text.
    pub(super) fn match_part(&mut self, pattern: &str, text: &str) -> Option<(usize, usize)> {
        self.compiles(pattern);
        let found = self.patterns.captures(pattern, text)?;
        let groups = found.groups.into_iter().enumerate();
        self.matched = groups
            .map(|(number, group)| (Text::from(number.to_string()), Text::from(group)))
            .collect();
        Some((found.start, found.end))
    }

    /// Whether one of several patterns is or matches a text.
    pub(super) fn match_any(&mut self, patterns: &[Text], text: &str) -> bool {
        patterns
            .iter()
            .any(|pattern| self.match_whole(pattern, text))
    }
}
