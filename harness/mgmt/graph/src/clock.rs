//! The clock of a run: real time passes, and waits are jumped over.

use std::time::Instant;

/// A clock in milliseconds.
#[derive(Debug)]
pub(crate) struct Clock {
    began: Instant,
    /// How far it is ahead of real time.
    ahead: u64,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock {
            began: Instant::now(),
            ahead: 0,
        }
    }

    pub(crate) fn now(&self) -> u64 {
        self.real().saturating_add(self.ahead)
    }

    /// Real milliseconds since it was started.
    pub(crate) fn real(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Jumps to a time that is still to come.
    pub(crate) fn jump_to(&mut self, time: u64) {
        self.ahead = self.ahead.saturating_add(time.saturating_sub(self.now()));
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn it_jumps_forward_alone() {
        let mut clock = Clock::start();
        clock.jump_to(60_000);
        let now = clock.now();
        assert!((60_000..120_000).contains(&now));
        clock.jump_to(1);
        assert!(clock.now() >= now);
    }
}
