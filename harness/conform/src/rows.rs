//! What versions of a program did: a row for each version that did something else than the one before it.

/// What a version did, and those after it up to the next row.
pub trait Row: Clone {
    /// The oldest version that did so.
    fn since(&self) -> &str;

    /// The same of another version.
    fn of(self, version: &str) -> Self;
}

/// The numbers of a version, by which versions are ordered.
pub fn order(version: &str) -> Vec<u32> {
    let parts = version.split(|c: char| !c.is_ascii_digit());
    parts.map_while(|part| part.parse().ok()).collect()
}

/// The row that holds for a version.
pub fn row_of<'r, R: Row>(rows: &'r [R], version: &str) -> Option<&'r R> {
    rows.get(rows_until(rows, version).checked_sub(1)?)
}

/// How many rows are of a version or of older ones.
fn rows_until<R: Row>(rows: &[R], version: &str) -> usize {
    let own = order(version);
    rows.partition_point(|row| order(row.since()) <= own)
}

/// Notes what a version did, if its row says something else. The other versions keep what they did.
///
/// `known` are all versions that were recorded before, from the oldest to the newest.
pub fn note<R: Row>(
    rows: &mut Vec<R>,
    observed: R,
    version: &str,
    known: &[&str],
    alike: impl Fn(&R, &R) -> bool,
) -> bool {
    let at = rows_until(rows, version);
    let before = at.checked_sub(1).map(|last| rows[last].clone());
    if before
        .as_ref()
        .is_some_and(|before| alike(before, &observed))
    {
        return false;
    }
    let own = order(version);
    let next = known.iter().find(|known| order(known) > own);
    if let (Some(before), Some(next)) = (&before, next)
        && rows.iter().all(|row| row.since() != *next)
    {
        rows.insert(at, before.clone().of(next));
    }
    let observed = observed.of(version);
    match before {
        Some(before) if before.since() == version => rows[at - 1] = observed,
        _ => rows.insert(at, observed),
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{Row, note};

    const KNOWN: [&str; 3] = ["3.21.0", "3.24.4", "3.28.0"];

    #[derive(Clone, Debug, PartialEq)]
    struct Exit(String, i32);

    impl Row for Exit {
        fn since(&self) -> &str {
            &self.0
        }

        fn of(self, version: &str) -> Self {
            Exit(version.to_owned(), self.1)
        }
    }

    fn exit(since: &str, code: i32) -> Exit {
        Exit(since.to_owned(), code)
    }

    fn noted(rows: &[Exit], code: i32, version: &str) -> (bool, Vec<Exit>) {
        let mut rows = rows.to_vec();
        let alike = |one: &Exit, other: &Exit| one.1 == other.1;
        let changed = note(&mut rows, exit("", code), version, &KNOWN, alike);
        (changed, rows)
    }

    #[test]
    fn a_version_that_behaves_like_its_predecessor_adds_no_row() {
        let rows = [exit("3.21.0", 0), exit("3.28.0", 1)];
        for (version, code) in [("3.21.0", 0), ("3.25.1", 0), ("3.28.0", 1), ("3.30.0", 1)] {
            let (changed, after) = noted(&rows, code, version);
            assert!(!changed, "{version}");
            assert_eq!(after, rows);
        }
    }

    #[test]
    fn a_new_version_that_behaves_differently_adds_a_row() {
        let (changed, after) = noted(&[exit("3.21.0", 0)], 1, "3.30.0");
        assert!(changed);
        assert_eq!(after, [exit("3.21.0", 0), exit("3.30.0", 1)]);
    }

    #[test]
    fn correcting_a_version_preserves_the_results_of_later_versions() {
        let (_, after) = noted(&[exit("3.21.0", 0)], 1, "3.21.0");
        assert_eq!(after, [exit("3.21.0", 1), exit("3.24.4", 0)]);
        let (_, after) = noted(&[exit("3.21.0", 0)], 1, "3.24.4");
        let all = [exit("3.21.0", 0), exit("3.24.4", 1), exit("3.28.0", 0)];
        assert_eq!(after, all);
    }
}
