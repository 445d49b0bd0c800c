//! The limit of events: a bucket of tokens that refills with time.

/// A bucket of `burst` tokens; `rate` of them come back each second.
#[derive(Debug)]
pub struct Limiter {
    rate: f64,
    burst: f64,
    tokens: f64,
    at_ms: u64,
}

impl Limiter {
    /// A full bucket.
    pub fn new(rate: f64, burst: u64, now_ms: u64) -> Limiter {
        let burst = burst as f64;
        Limiter {
            rate,
            burst,
            tokens: burst,
            at_ms: now_ms,
        }
    }

    /// Takes a token, if need be one that is still to come; how many milliseconds it is away.
    pub fn reserve(&mut self, now_ms: u64) -> u64 {
        let passed = now_ms.saturating_sub(self.at_ms) as f64 / 1000.0;
        self.tokens = (self.tokens + passed * self.rate).min(self.burst);
        self.at_ms = now_ms;
        self.tokens -= 1.0;
        if self.tokens >= 0.0 {
            return 0;
        }
        let wait = -self.tokens / self.rate * 1000.0;
        if wait.is_finite() {
            wait.ceil() as u64
        } else {
            u64::MAX / 4
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Limiter;

    #[test]
    fn a_full_bucket_gives_its_burst_then_waits() {
        let mut limiter = Limiter::new(10.0, 2, 0);
        assert_eq!([0, 0, 100, 200], [0; 4].map(|now| limiter.reserve(now)));
        assert_eq!(0, limiter.reserve(1000));
    }
}
