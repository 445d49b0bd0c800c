//! The counters of retries of CheckApply; they outlive a vertex.

use std::collections::HashMap;

/// The counters by `kind[name]`; -1 is without end.
#[derive(Debug, Default)]
pub struct Retries {
    left: HashMap<String, i64>,
}

impl Retries {
    /// A vertex is added: it goes on with the counter of the one before, unless it resets that.
    pub fn add(&mut self, key: &str, retry: i64, reset: bool) {
        if reset {
            self.left.insert(key.to_owned(), retry);
        } else {
            self.left.entry(key.to_owned()).or_insert(retry);
        }
    }

    /// Takes a retry; how many are left, or `None` if there was none.
    pub fn take(&mut self, key: &str) -> Option<i64> {
        take(self.left.get_mut(key)?)
    }

    /// Renews a counter.
    pub fn renew(&mut self, key: &str, retry: i64) {
        if let Some(left) = self.left.get_mut(key) {
            *left = retry;
        }
    }

    /// Forgets all that do not stay.
    pub fn keep(&mut self, stays: impl Fn(&str) -> bool) {
        self.left.retain(|key, _| stays(key));
    }
}

/// Takes a retry from a counter; how many are left, or `None` if there was none.
pub fn take(left: &mut i64) -> Option<i64> {
    match *left {
        0 => None,
        1.. => {
            *left -= 1;
            Some(*left)
        }
        _ => Some(-1),
    }
}

/// Retries without a delay. In the real engine even they take some time; here the clock would stand
/// still with endless ones.
#[derive(Debug, Default)]
pub struct Spin {
    at_ms: u64,
    count: u32,
}

impl Spin {
    /// How long a retry with this delay waits.
    pub fn wait(&mut self, delay_ms: u64, now_ms: u64) -> u64 {
        if self.at_ms != now_ms {
            *self = Spin {
                at_ms: now_ms,
                count: 0,
            };
        }
        self.count += 1;
        delay_ms.max(u64::from(self.count > 20))
    }
}

/// The line about a retry; endless ones have none.
pub fn line(what: &str, delay_ms: u64, left: i64) -> Option<String> {
    let seconds = delay_ms as f64 / 1000.0;
    (left >= 0).then(|| format!("retrying {what} after {seconds:.4} seconds ({left} left)"))
}

#[cfg(test)]
mod tests {
    use super::{Retries, Spin, line};

    #[test]
    fn a_counter_outlives_its_vertex_unless_it_is_reset() {
        let mut retries = Retries::default();
        retries.add("t[a]", 1, false);
        assert_eq!(Some(0), retries.take("t[a]"));
        retries.add("t[a]", 5, false);
        assert_eq!(None, retries.take("t[a]"));
        retries.add("t[a]", 2, true);
        assert_eq!(Some(1), retries.take("t[a]"));
    }

    #[test]
    fn the_clock_goes_on_in_endless_retries() {
        let mut spin = Spin::default();
        let waits: u64 = (0..30).map(|_| spin.wait(0, 5)).sum();
        assert_eq!(10, waits);
        assert_eq!(0, spin.wait(0, 50));
        assert_eq!(7, spin.wait(7, 50));
    }

    #[test]
    fn endless_retries_are_not_told() {
        assert_eq!(None, line("Watch", 0, -1));
        assert_eq!(
            Some("retrying Watch after 0.0300 seconds (1 left)".to_owned()),
            line("Watch", 30, 1)
        );
    }
}
