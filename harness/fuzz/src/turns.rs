//! Several sequences by turns.

/// The next one of each, again and again, until all have ended.
pub(crate) fn by_turns<I: Iterator>(mut all: Vec<I>) -> impl Iterator<Item = I::Item> {
    let mut turn = 0;
    std::iter::from_fn(move || {
        while !all.is_empty() {
            turn %= all.len();
            if let Some(next) = all[turn].next() {
                turn += 1;
                return Some(next);
            }
            // Its last turn goes to the next one.
            drop(all.remove(turn));
        }
        None
    })
}

/// Some of the first, `most` each time, then one of the second, again and again, until both have ended.
pub(crate) fn mostly<T>(
    mut first: impl Iterator<Item = T>,
    mut second: impl Iterator<Item = T>,
    most: usize,
) -> impl Iterator<Item = T> {
    let mut left = most;
    std::iter::from_fn(move || {
        if left > 0 {
            left -= 1;
            first.next().or_else(|| second.next())
        } else {
            left = most;
            second.next().or_else(|| first.next())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{by_turns, mostly};

    #[test]
    fn the_rare_ones_come_between_and_all_come() {
        let all = mostly([1, 2, 3, 4, 5].into_iter(), [10, 20, 30, 40].into_iter(), 2);
        assert_eq!(all.collect::<Vec<_>>(), [1, 2, 10, 3, 4, 20, 5, 30, 40]);
    }

    #[test]
    fn a_finished_iterator_does_not_block_the_others() {
        let all = vec![vec![1, 4], vec![], vec![2], vec![3, 5, 6]];
        let all: Vec<_> = all.into_iter().map(Vec::into_iter).collect();
        assert_eq!(by_turns(all).collect::<Vec<i32>>(), [1, 2, 3, 4, 5, 6]);
    }
}
