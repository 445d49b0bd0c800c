//! Matches patterns and stores the groups for `$(match.…)`.

use crate::context::Agent;
use crate::value::Text;
use cfengine_policy::text;

impl Agent {
    /// Whether a pattern's first match spans the whole text.
    pub(super) fn match_whole(&mut self, pattern: &str, text: &str) -> bool {
        let bytes = text::encode(text);
        pattern == text
            || self
                .match_part(pattern, &bytes)
                .is_some_and(|(start, end)| start == 0 && end == bytes.len())
    }

    /// The position of a pattern's first match.
    pub(super) fn match_part(&mut self, pattern: &str, bytes: &[u8]) -> Option<(usize, usize)> {
        self.compiles(pattern);
        let found = self.patterns.captures(pattern, bytes)?;
        let groups = found.groups.into_iter().enumerate();
        self.matched = groups
            .map(|(number, group)| (Text::from(number.to_string()), Text::from(group)))
            .collect();
        Some((found.start, found.end))
    }

    /// Whether one of several patterns equals or matches a text.
    pub(super) fn match_any(&mut self, patterns: &[Text], text: &str) -> bool {
        patterns
            .iter()
            .any(|pattern| self.match_whole(pattern, text))
    }
}
