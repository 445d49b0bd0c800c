//! A process that searches for a defect within a time.

use anyhow::{Context, Result};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The time from the start of a process to the first line that says that it found the defect, or to its end if
/// `at_end` then says so. Then it is killed, as it is at the limit.
pub fn race(
    mut command: Command,
    limit: Duration,
    found: impl Fn(&str) -> bool,
    at_end: impl Fn() -> bool,
) -> Result<Option<Duration>> {
    let began = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("running {}", command.get_program().display()))?;
    let output = BufReader::new(child.stdout.take().context("no output")?);
    let (sender, lines) = channel();
    let reader = std::thread::spawn(move || {
        for line in output.split(b'\n').map_while(Result::ok) {
            if sender
                .send(String::from_utf8_lossy(&line).into_owned())
                .is_err()
            {
                break;
            }
        }
    });
    let took = loop {
        let left = limit.saturating_sub(began.elapsed());
        match lines.recv_timeout(left) {
            Ok(line) if found(&line) => break Some(began.elapsed()),
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => break at_end().then_some(limit),
            Err(RecvTimeoutError::Disconnected) => break at_end().then(|| began.elapsed()),
        }
    };
    // What runs in a sandbox of its own ends with the process that holds it.
    let _ = child.kill();
    child.wait()?;
    drop(lines);
    let _ = reader.join();
    Ok(took)
}
