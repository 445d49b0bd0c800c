//! Rows that are kept during a run, as 2.0.1 and the specification have it.

use puppet_types::Value;
use std::collections::BTreeMap;

/// The rows of a type by the names of their resources.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    rows: Vec<Option<Value>>,
    /// Where the row of a name is.
    places: BTreeMap<String, usize>,
    /// Are these all that there are?
    pub(crate) is_all: bool,
}

impl Kept {
    /// All rows, if they are all, in the order in which they were first kept.
    pub(crate) fn all(&self) -> Option<Vec<Value>> {
        let rows = self.rows.iter().flatten().cloned();
        self.is_all.then(|| rows.collect())
    }

    /// The row of this name.
    pub(crate) fn get(&self, name: &Value) -> Option<Value> {
        self.rows[*self.places.get(&name.encode())?].clone()
    }

    /// Keeps a row, in place of one of the same name.
    pub(crate) fn keep(&mut self, name: &Value, row: Value) {
        let next = self.rows.len();
        let place = *self.places.entry(name.encode()).or_insert(next);
        match self.rows.get_mut(place) {
            Some(known) => *known = Some(row),
            None => self.rows.push(Some(row)),
        }
    }

    /// The row of this name is gone.
    pub(crate) fn forget(&mut self, name: &Value) {
        if let Some(place) = self.places.remove(&name.encode()) {
            self.rows[place] = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Kept;
    use puppet_types::Value;

    #[test]
    fn rows_keep_their_places() {
        let row = |text: &str| Value::hash([("v", Value::string(text))]);
        let name = Value::string;
        let mut kept = Kept::default();
        for (of, text) in [("a", "1"), ("b", "2"), ("a", "3")] {
            kept.keep(&name(of), row(text));
        }
        assert_eq!(kept.all(), None);
        kept.is_all = true;
        assert_eq!(kept.all(), Some(vec![row("3"), row("2")]));
        kept.forget(&name("a"));
        assert_eq!(
            (kept.get(&name("a")), kept.get(&name("b"))),
            (None, Some(row("2")))
        );
        kept.keep(&name("a"), row("4"));
        assert_eq!(kept.all(), Some(vec![row("2"), row("4")]));
    }
}
