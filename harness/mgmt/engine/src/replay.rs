//! Replays a whole recording.

use std::collections::BTreeMap;

use crate::compare::{Difference, compare};
use crate::driver;
use crate::recorded::{BadLine, read};

/// A replayed case.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Its name.
    pub name: String,
    /// Its family.
    pub family: String,
    /// Where the engine differs from the recording.
    pub differences: Vec<Difference>,
}

impl Replayed {
    /// Whether the engine does what the recording says.
    pub fn agrees(&self) -> bool {
        self.differences.is_empty()
    }
}

/// Replays all cases of a recording.
pub fn replay(text: &str) -> Result<Vec<Replayed>, BadLine> {
    let cases = read(text)?;
    let replayed = cases.into_iter().map(|case| {
        let seen = driver::run(&case.input);
        let differences = compare(&case, &seen);
        Replayed {
            name: case.name,
            family: case.family,
            differences,
        }
    });
    Ok(replayed.collect())
}

/// How many cases of each family agree, and how many there are.
pub fn by_family(replayed: &[Replayed]) -> BTreeMap<&str, (usize, usize)> {
    let mut families: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for case in replayed {
        let counts = families.entry(&case.family).or_default();
        counts.0 += usize::from(case.agrees());
        counts.1 += 1;
    }
    families
}
