//! The lines of a file during edits. A line keeps its number when it moves.

/// The number of a line.
pub(super) type Id = usize;

/// A linked list of lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    all: Vec<(String, Option<Id>)>,
    first: Option<Id>,
}

impl Lines {
    pub(super) fn first(&self) -> Option<Id> {
        self.first
    }

    pub(super) fn next(&self, id: Id) -> Option<Id> {
        self.all.get(id).and_then(|(_, next)| *next)
    }

    /// The line after this one; the first line for `None`.
    pub(super) fn behind(&self, id: Option<Id>) -> Option<Id> {
        match id {
            Some(id) => self.next(id),
            None => self.first,
        }
    }

    pub(super) fn text(&self, id: Id) -> &str {
        self.all.get(id).map_or("", |(text, _)| text)
    }

    pub(super) fn set(&mut self, id: Id, text: String) {
        if let Some(line) = self.all.get_mut(id) {
            line.0 = text;
        }
    }

    /// The lines from `from` up to `to`, which is excluded.
    pub(super) fn between(&self, from: Option<Id>, to: Option<Id>) -> Vec<Id> {
        let from = from.filter(|_| from != to);
        std::iter::successors(from, |id| self.next(*id).filter(|next| Some(*next) != to)).collect()
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::successors(self.first, |id| self.next(*id)).map(|id| self.text(id))
    }

    /// The line before this one.
    pub(super) fn before(&self, id: Id) -> Option<Id> {
        std::iter::successors(self.first, |id| self.next(*id)).find(|at| self.next(*at) == Some(id))
    }

    pub(super) fn prepend(&mut self, text: &str) {
        self.all.push((text.into(), self.first));
        self.first = Some(self.all.len() - 1);
    }

    /// Inserts a line after another one, or at the end.
    pub(super) fn insert(&mut self, behind: Option<Id>, text: &str) {
        let last = || std::iter::successors(self.first, |id| self.next(*id)).last();
        let Some(at) = self.first.and(behind).or_else(last) else {
            return self.prepend(text);
        };
        let next = self.next(at);
        self.all.push((text.into(), next));
        self.all[at].1 = Some(self.all.len() - 1);
    }

    pub(super) fn remove(&mut self, id: Id) {
        let next = self.next(id);
        if self.first == Some(id) {
            self.first = next;
        } else if let Some(before) = self.before(id) {
            self.all[before].1 = next;
        }
    }
}

impl<S: Into<String>> FromIterator<S> for Lines {
    fn from_iter<I: IntoIterator<Item = S>>(texts: I) -> Self {
        let mut lines = Self::default();
        for text in texts {
            let at = lines.all.len();
            if at > 0 {
                lines.all[at - 1].1 = Some(at);
            }
            lines.all.push((text.into(), None));
            lines.first = Some(0);
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn lines_come_and_go() {
        let mut lines: Lines = ["a", "b"].into_iter().collect();
        lines.insert(Some(0), "x");
        lines.insert(None, "z");
        lines.prepend("0");
        assert_eq!(lines.texts().collect::<Vec<_>>(), ["0", "a", "x", "b", "z"]);
        lines.remove(1);
        lines.remove(4);
        assert_eq!(lines.texts().collect::<Vec<_>>(), ["a", "x", "z"]);
        assert_eq!(lines.between(Some(0), Some(3)), [0, 2]);
    }
}
