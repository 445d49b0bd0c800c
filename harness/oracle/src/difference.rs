//! Differences between two runs.

use crate::InputPlace;
use serde::Serialize;
use similar::{Algorithm, DiffOp, TextDiff};

/// The number of context lines around a change.
const AROUND: usize = 3;

/// A difference between two runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The aspect that differs, such as `output` or `effects`.
    pub aspect: &'static str,
    /// The parts of the aspect, such as `reports`, a module or a resource.
    pub parts: Vec<String>,
    /// The place in the input.
    pub place: Option<InputPlace>,
    /// A unified diff: `-` is the peer, `+` is Stickler.
    pub diff: String,
    /// Why the dialect accepts the difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<&'static str>,
    /// The index of the first line that differs: the peer's, and Stickler's.
    #[serde(skip)]
    pub first: (usize, usize),
}

impl Difference {
    /// The difference of two lists of lines, with some lines around it. `None` if they are equal.
    pub fn of_lines(aspect: &'static str, theirs: &[String], ours: &[String]) -> Option<Self> {
        if theirs == ours {
            return None;
        }
        let theirs: Vec<&str> = theirs.iter().map(String::as_str).collect();
        let ours: Vec<&str> = ours.iter().map(String::as_str).collect();
        let diff = TextDiff::configure()
            .algorithm(Algorithm::Patience)
            .diff_slices(&theirs, &ours);
        let first = diff.ops().iter().find_map(|op| match op {
            DiffOp::Equal { .. } => None,
            other => Some((other.old_range().start, other.new_range().start)),
        });
        let mut text = String::new();
        for (index, group) in diff.grouped_ops(AROUND).iter().enumerate() {
            if index > 0 {
                text.push_str("  ⋮\n");
            }
            for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                text.push_str(&format!("{} {}\n", change.tag(), change.value()));
            }
        }
        Some(Self {
            aspect,
            diff: text,
            first: first.unwrap_or_default(),
            ..Self::default()
        })
    }

    /// The difference of two texts, each of which may be missing. `None` if they are equal.
    pub fn of_texts(
        aspect: &'static str,
        theirs: Option<&str>,
        ours: Option<&str>,
    ) -> Option<Self> {
        let lines = |text: Option<&str>| -> Vec<String> {
            text.map_or_else(Vec::new, |text| {
                text.split('\n').map(str::to_owned).collect()
            })
        };
        Self::of_lines(aspect, &lines(theirs), &lines(ours))
    }

    /// The same difference, of these parts of the aspect.
    #[must_use]
    pub fn in_parts<S: Into<String>>(mut self, parts: impl IntoIterator<Item = S>) -> Self {
        self.parts = parts.into_iter().map(Into::into).collect();
        self
    }

    /// The lines that only one side has, with their sign.
    pub fn changed_lines(&self) -> impl Iterator<Item = &str> {
        self.diff
            .lines()
            .filter(|line| line.starts_with(['-', '+']))
    }

    /// The aspect and its parts.
    pub fn subject(&self) -> (&'static str, &[String]) {
        (self.aspect, &self.parts)
    }
}

/// The differences without those that also show between two runs of one side: what varies by itself
/// says nothing about the other side.
pub fn steady(found: Vec<Difference>, varied: &[Difference]) -> Vec<Difference> {
    let is_steady = |one: &Difference| !varied.iter().any(|other| other.subject() == one.subject());
    found.into_iter().filter(is_steady).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_text_differs_from_an_empty_one() {
        let found = Difference::of_texts("a", None, Some("")).expect("a difference");
        assert_eq!(found.diff, "+ \n");
        assert_eq!(Difference::of_texts("a", None, None), None);
        let found = Difference::of_texts("a", Some("x\ny"), Some("x\nz")).expect("a difference");
        assert_eq!(found.diff, "  x\n- y\n+ z\n");
        assert_eq!(found.first, (1, 1));
        let changed: Vec<&str> = found.changed_lines().collect();
        assert_eq!(changed, ["- y", "+ z"]);
    }

    #[test]
    fn a_part_that_varies_between_repeated_runs_is_no_difference() {
        let of = |part: &str| {
            let found = Difference::of_texts("message", Some("a"), Some("b"));
            found.expect("a difference").in_parts([part])
        };
        assert_eq!(steady(vec![of("1"), of("2")], &[of("1")]), [of("2")]);
    }
}
