//! How a campaign went, as a series of samples whose number is bounded.

use crate::status::Status;
use std::time::Duration;

/// The most samples. When there are so many, each second one goes, and the interval doubles.
const MOST: usize = 512;
/// The first interval.
const EVERY: Duration = Duration::from_millis(100);

/// How far a campaign was at a moment. All numbers are totals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// When, since the campaign began.
    pub time: Duration,
    /// How many messages were sent.
    pub requests: u64,
    /// How many inputs the corpus had.
    pub corpus: usize,
    /// How many marks were seen.
    pub seen: usize,
    /// How many pairs of lines were seen, if the subject tells.
    pub lines: Option<usize>,
}

impl From<&Status> for Sample {
    fn from(status: &Status) -> Sample {
        Sample {
            time: status.time,
            requests: status.requests,
            corpus: status.corpus,
            seen: status.seen,
            lines: status.lines,
        }
    }
}

/// The samples of a campaign, in order.
#[derive(Debug)]
pub(crate) struct Series {
    samples: Vec<Sample>,
    every: Duration,
    /// When the next sample is due.
    due: Duration,
}

impl Series {
    pub(crate) fn new() -> Self {
        Series {
            samples: vec![Sample::default()],
            every: EVERY,
            due: EVERY,
        }
    }

    /// Takes a sample if one is due.
    pub(crate) fn note(&mut self, status: &Status) {
        if status.time < self.due {
            return;
        }
        self.samples.push(status.into());
        if self.samples.len() >= MOST {
            let mut number = 0;
            self.samples.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.every *= 2;
        }
        self.due = status.time + self.every;
    }

    /// The samples up to the end of the campaign.
    pub(crate) fn whole(&self, end: &Status) -> Vec<Sample> {
        let mut samples = self.samples.clone();
        samples.retain(|sample| sample.time < end.time);
        samples.push(end.into());
        samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_of_a_week_is_short_and_covers_all_of_it() {
        let mut series = Series::new();
        let at = |seconds: u64| Status {
            time: Duration::from_secs(seconds),
            requests: seconds * 100,
            ..Status::default()
        };
        let week = 7 * 24 * 3600;
        for second in 1..week {
            series.note(&at(second));
        }
        let samples = series.whole(&at(week));
        assert!(
            (MOST / 2..=MOST).contains(&samples.len()),
            "{}",
            samples.len()
        );
        assert_eq!(samples[0].time, Duration::ZERO);
        assert_eq!(samples.last(), Some(&Sample::from(&at(week))));
        let steps = samples.windows(2).map(|two| two[1].time - two[0].time);
        let longest = steps.max().expect("some");
        assert!(longest <= Duration::from_secs(week / 100), "{longest:?}");
        assert!(samples.is_sorted_by_key(|sample| sample.requests));
    }
}
