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

/// The next one of the sequence whose elements have cost the least so far, again and again, until all have ended.
pub(crate) fn by_cost<I: Iterator>(
    all: Vec<I>,
    cost: impl Fn(&I::Item) -> usize,
) -> impl Iterator<Item = I::Item> {
    let mut all: Vec<(usize, I)> = all.into_iter().map(|one| (0, one)).collect();
    std::iter::from_fn(move || {
        loop {
            let cheapest = all.iter().enumerate().min_by_key(|(_, (cost, _))| *cost);
            let (at, _) = cheapest?;
            if let Some(next) = all[at].1.next() {
                all[at].0 += cost(&next);
                return Some(next);
            }
            drop(all.remove(at));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{by_cost, by_turns};

    #[test]
    fn what_costs_more_comes_more_rarely_and_all_come() {
        let all = vec![vec![4, 4, 4], vec![1, 1, 1, 1, 1], vec![]];
        let all: Vec<_> = all.into_iter().map(Vec::into_iter).collect();
        let order: Vec<usize> = by_cost(all, |cost| *cost).collect();
        assert_eq!(order, [4, 1, 1, 1, 1, 4, 1, 4]);
    }

    #[test]
    fn a_finished_iterator_does_not_block_the_others() {
        let all = vec![vec![1, 4], vec![], vec![2], vec![3, 5, 6]];
        let all: Vec<_> = all.into_iter().map(Vec::into_iter).collect();
        assert_eq!(by_turns(all).collect::<Vec<i32>>(), [1, 2, 3, 4, 5, 6]);
    }
}
