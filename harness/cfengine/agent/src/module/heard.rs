//! A cache of parsed lines: most modules repeat a few lines.

use super::answer::Members;

/// The number of cached lines, and the most bytes of each.
const MOST: usize = 4;
const LONGEST: usize = 128;

/// The parsed members of a module's last lines.
#[derive(Default)]
pub(crate) struct Heard {
    lines: Vec<(Box<[u8]>, Members)>,
    /// The index of the entry to replace next.
    oldest: usize,
}

impl Heard {
    pub(super) fn get(&self, line: &[u8]) -> Option<&Members> {
        let found = self.lines.iter().find(|(known, _)| **known == *line);
        found.map(|(_, members)| members)
    }

    pub(super) fn keep(&mut self, line: &[u8], members: &Members) {
        if line.len() > LONGEST {
            return;
        }
        let entry = (line.into(), members.clone());
        if self.lines.len() < MOST {
            self.lines.push(entry);
        } else {
            self.lines[self.oldest] = entry;
            self.oldest = (self.oldest + 1) % MOST;
        }
    }
}
