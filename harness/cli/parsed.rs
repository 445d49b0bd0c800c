//! Arguments that several commands read in the same way.

use jiff::SignedDuration;
use std::time::Duration;
use stickler_face::Failure;

/// `--shard K/N`
///
/// # Errors
/// If it is no part.
pub fn shard(text: &str) -> Result<(usize, usize), Failure> {
    let parsed = text
        .split_once('/')
        .and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match parsed {
        Some((k, n)) if 1 <= k && k <= n => Ok((k, n)),
        _ => Err(Failure::usage(format!(
            "--shard {text}: write K/N with K from 1 to N, such as 1/4"
        ))),
    }
}

/// `--jobs N`: as given, or one for each CPU.
///
/// # Errors
/// If it is 0.
pub fn jobs(jobs: Option<usize>) -> Result<usize, Failure> {
    match jobs {
        Some(0) => Err(Failure::usage("--jobs 0: at least one session must run")),
        Some(jobs) => Ok(jobs),
        None => Ok(std::thread::available_parallelism().map_or(2, std::num::NonZero::get)),
    }
}

/// A duration such as `90s`, `5m` or `1h`; a plain number is seconds.
pub fn duration(text: &str) -> Option<Duration> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = if is_number { &format!("{text}s") } else { text };
    let parsed = text.parse().ok().filter(SignedDuration::is_positive);
    parsed.and_then(|time| Duration::try_from(time).ok())
}
