//! Times as programs read them.

use std::time::Duration;

/// Seconds, to the millisecond.
pub fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}
