//! Semaphores that bound how many CheckApply run at one time.

use std::collections::{HashMap, VecDeque};

use crate::ids::VertexId;

#[derive(Debug, Default)]
struct Sema {
    held: u64,
    waiting: VecDeque<VertexId>,
}

/// All semaphores of an engine, by their whole name: `s` and `s:1` are two.
#[derive(Debug, Default)]
pub struct Semas {
    by_name: HashMap<String, Sema>,
}

impl Semas {
    /// Takes the semaphore, or lets the vertex wait for it.
    pub fn take(&mut self, name: &str, vertex: VertexId) -> bool {
        let sema = self.by_name.entry(name.to_owned()).or_default();
        if sema.held < size(name) {
            sema.held += 1;
            return true;
        }
        if !sema.waiting.contains(&vertex) {
            sema.waiting.push_back(vertex);
        }
        false
    }

    /// Gives the semaphore back; who may try next.
    pub fn give(&mut self, name: &str) -> Option<VertexId> {
        let sema = self.by_name.get_mut(name)?;
        sema.held = sema.held.saturating_sub(1);
        sema.waiting.pop_front()
    }
}

/// A count that is missing, not a number or below one counts as one.
fn size(name: &str) -> u64 {
    let count = name
        .split_once(':')
        .and_then(|(_, count)| count.parse().ok());
    count.unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::{Semas, size};

    #[test]
    fn a_bad_count_is_one() {
        assert_eq!([1, 3, 1, 1], ["s", "s:3", "s:0", "s:x"].map(size));
    }

    #[test]
    fn the_first_waiter_takes_the_semaphore_next() {
        let mut semas = Semas::default();
        assert!(semas.take("s", 1));
        assert!(!semas.take("s", 2));
        assert!(!semas.take("s", 3));
        assert_eq!(Some(2), semas.give("s"));
        assert!(semas.take("s", 2));
    }
}
