//! Finds smaller sequences of choices with the same result.

/// Shrinks a sequence while `shows` holds, with at most `most` calls of it. `shows` returns the
/// choices that were really made.
pub fn shrink(
    choices: Vec<u32>,
    most: usize,
    mut shows: impl FnMut(Vec<u32>) -> Option<Vec<u32>>,
) -> Vec<u32> {
    let mut best = choices;
    let mut left = most;
    let mut attempt = |best: &mut Vec<u32>, candidate: Vec<u32>| {
        if left == 0 || candidate == *best {
            return false;
        }
        left -= 1;
        match shows(candidate) {
            Some(taken) if is_smaller(&taken, best) => {
                *best = taken;
                true
            }
            _ => false,
        }
    };
    loop {
        let before = best.clone();
        let mut length = (best.len() / 2).max(1);
        while length > 0 {
            let mut at = best.len().saturating_sub(length);
            loop {
                let end = (at + length).min(best.len());
                let mut without = best.clone();
                without.drain(at.min(end)..end);
                if !attempt(&mut best, without) {
                    let mut zeros = best.clone();
                    zeros[at.min(end)..end].fill(0);
                    attempt(&mut best, zeros);
                }
                if at == 0 {
                    break;
                }
                at = at.saturating_sub(length).min(best.len());
            }
            length /= 2;
        }
        if best == before {
            return best;
        }
    }
}

fn is_smaller(one: &[u32], other: &[u32]) -> bool {
    (one.len(), one) < (other.len(), other)
}

#[cfg(test)]
mod tests {
    use super::shrink;

    #[test]
    fn irrelevant_choices_are_removed() {
        let start: Vec<u32> = (0..200).collect();
        let small = shrink(start, 5000, |choices| {
            choices.contains(&77).then_some(choices)
        });
        assert_eq!(small, [77]);
    }

    #[test]
    fn it_stops_when_it_may_not_ask_again() {
        let mut asked = 0;
        shrink((0..200).collect(), 10, |choices| {
            asked += 1;
            Some(choices)
        });
        assert!(asked <= 10);
    }
}
