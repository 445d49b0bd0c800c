//! Title patterns of a definition.

use super::{Definition, Part, Problem};
use crate::regex::{Capture, Fault, Pattern};
use crate::titles::{Reach, Title, TitlePattern, first_match, reach};
use crate::undecided::Undecided;
use crate::value::Value;

const KEYS: [&str; 2] = ["pattern", "desc"];

impl Definition {
    pub(super) fn read_title_patterns(&mut self, value: &Value) {
        let namevars: Vec<String> = self.namevars().into_iter().map(str::to_owned).collect();
        if namevars.is_empty() {
            self.problems.push(Problem::NoNamevar);
        }
        let items = match value.get("title_patterns") {
            None => {
                if namevars.len() > 1 {
                    self.problems.push(Problem::NoTitlePatterns);
                }
                return;
            }
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.problems.push(Problem::TitlePatternsNoList {
                    class: other.class().to_owned(),
                });
                return;
            }
        };
        if items.is_empty() && namevars.len() > 1 {
            self.problems.push(Problem::NoTitlePatterns);
        }
        let mut patterns = Vec::new();
        let mut captured: Vec<String> = Vec::new();
        let mut complete = true;
        for (index, item) in items.iter().enumerate() {
            let pattern = self.read_title_pattern(index, item);
            match pattern.pattern.as_ref().map(Pattern::names) {
                Some(Ok(names)) => {
                    for name in names {
                        if !namevars.contains(name) {
                            let name = name.clone();
                            self.problems
                                .push(Problem::CaptureNoNamevar { index, name });
                        }
                    }
                    captured.extend(names.iter().cloned());
                }
                _ => complete = false,
            }
            patterns.push(pattern);
        }
        if complete && !patterns.is_empty() {
            for namevar in namevars {
                if !captured.contains(&namevar) {
                    self.problems.push(Problem::NamevarNotCaptured { namevar });
                }
            }
        }
        if complete {
            for index in 1..patterns.len() {
                if let Reach::Shadowed { by, .. } = reach(&patterns, index) {
                    self.problems.push(Problem::Shadowed { index, by });
                }
            }
        }
        self.title_patterns = Some(patterns);
    }

    fn read_title_pattern(&mut self, index: usize, item: &Value) -> TitlePattern {
        let mut found = TitlePattern {
            pattern: None,
            desc: None,
        };
        let Some(pairs) = item.as_hash() else {
            self.problems.push(Problem::TitlePatternNoHash {
                index,
                class: item.class().to_owned(),
            });
            return found;
        };
        self.keys(&Part::Pattern(index), pairs, &KEYS);
        let before = self.problems.len();
        found.desc = self.read_desc(Part::Pattern(index), item);
        // The description of a pattern belongs to the rule about patterns.
        if self.problems.len() > before && found.desc.is_none() {
            self.problems.truncate(before);
            self.problems.push(Problem::NoPatternDesc { index });
        }
        let Some(pattern) = item.get("pattern") else {
            self.problems.push(Problem::NoPattern { index });
            return found;
        };
        if !matches!(pattern, Value::Regexp { .. }) {
            self.problems.push(Problem::PatternNoRegexp {
                index,
                class: pattern.class().to_owned(),
            });
        }
        found.pattern = Pattern::of(pattern);
        match found.pattern.as_ref().and_then(Pattern::fault) {
            None => {}
            Some(Fault::Invalid(message)) => self.problems.push(Problem::PatternInvalid {
                index,
                message: message.clone(),
            }),
            Some(Fault::Unsupported(reason)) => self.problems.push(Problem::PatternUndecided {
                index,
                reason: reason.clone(),
            }),
        }
        found
    }

    /// Reads a title. Without patterns, the title is the first namevar, also if there are several.
    ///
    /// # Errors
    /// If only Ruby can tell whether a pattern matches.
    pub fn read_title(&self, title: &str) -> Result<Title, Undecided> {
        match &self.title_patterns {
            Some(patterns) => first_match(patterns, title),
            None => {
                let first = self.namevars().first().map(|name| Capture {
                    name: (*name).to_owned(),
                    text: Some(title.to_owned()),
                });
                Ok(Title::Matched {
                    pattern: None,
                    namevars: first.into_iter().collect(),
                })
            }
        }
    }
}
