//! Runs a command, and watches its time and its memory.

use crate::common::Call;
use std::fs;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// The result of a run.
pub struct Seen {
    /// How it ended; `None` if the time was up.
    pub status: Option<ExitStatus>,
    /// How long it took.
    pub seconds: f64,
    /// Its peak memory, in KiB.
    pub peak_kib: u64,
    /// Its output.
    pub out: String,
    /// What it wrote to standard error.
    pub err: String,
}

/// Runs a command until it ends or the time is up, and watches its memory.
pub fn watched(mut command: Call, most: Duration) -> Seen {
    let log = tempfile::tempdir().expect("a folder");
    let file = |name: &str| fs::File::create(log.path().join(name)).expect("a file");
    command.stdout(file("out")).stderr(file("err"));
    let began = Instant::now();
    let mut child = command.spawn().expect("the binary runs");
    let mut peak_kib = 0;
    let status = loop {
        peak_kib = peak_kib.max(peak(&child));
        if let Some(status) = child.try_wait().expect("waited") {
            break Some(status);
        }
        if began.elapsed() > most {
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = |name: &str| {
        String::from_utf8_lossy(&fs::read(log.path().join(name)).expect("read")).into_owned()
    };
    Seen {
        status,
        seconds: began.elapsed().as_secs_f64(),
        peak_kib,
        out: text("out"),
        err: text("err"),
    }
}

/// The peak memory of a process so far, KiB.
fn peak(child: &Child) -> u64 {
    fs::read_to_string(format!("/proc/{}/status", child.id()))
        .ok()
        .and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
            line.split_whitespace().next()?.parse().ok()
        })
        .unwrap_or(0)
}
