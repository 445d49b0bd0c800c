//! The figure in the middle of several.

use std::time::Duration;

pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
