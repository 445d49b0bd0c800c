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

#[cfg(test)]
mod tests {
    use super::by_turns;

    #[test]
    fn a_finished_iterator_does_not_block_the_others() {
        let all = vec![vec![1, 4], vec![], vec![2], vec![3, 5, 6]];
        let all: Vec<_> = all.into_iter().map(Vec::into_iter).collect();
        assert_eq!(by_turns(all).collect::<Vec<i32>>(), [1, 2, 3, 4, 5, 6]);
    }
}
