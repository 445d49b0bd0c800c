//! Signals that are passed on, and ending as the subject ended.

use rustix::process::{Resource, Rlimit, Signal, kill_process, setrlimit};
use signal_hook::low_level::{emulate_default_handler, pipe};
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// What an agent may send to make a module end, or to tell it something.
const PASSED: [Signal; 6] = [
    Signal::HUP,
    Signal::INT,
    Signal::QUIT,
    Signal::TERM,
    Signal::USR1,
    Signal::USR2,
];

/// Signals that came, one pipe each.
pub(super) struct Signals {
    caught: Vec<(Signal, UnixStream)>,
}

impl Signals {
    /// Catches signals from now on, but those that the agent had ignored: so
    /// the subject will find them ignored too.
    pub(super) fn catch() -> io::Result<Signals> {
        let mut caught = Vec::new();
        for signal in PASSED {
            if is_ignored(signal.as_raw()) {
                continue;
            }
            let (reader, writer) = UnixStream::pair()?;
            reader.set_nonblocking(true)?;
            pipe::register(signal.as_raw(), writer)?;
            caught.push((signal, reader));
        }
        Ok(Signals { caught })
    }

    pub(super) fn pipes(&self) -> impl Iterator<Item = &UnixStream> {
        self.caught.iter().map(|(_, pipe)| pipe)
    }

    /// Takes a signal that came.
    pub(super) fn take(&mut self, index: usize) -> Option<Signal> {
        let (signal, pipe) = self.caught.get_mut(index)?;
        let mut byte = [0];
        matches!(pipe.read(&mut byte), Ok(1)).then_some(*signal)
    }
}

/// Whether a signal, by its number, is ignored, as the kernel tells it.
pub fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .map_or("", str::trim);
    u64::from_str_radix(mask, 16).unwrap_or(0) >> (signal - 1) & 1 == 1
}

/// Ends this process by the signal that ended the subject; returns the exit
/// code where it was none.
pub(super) fn end_as(status: ExitStatus) -> u8 {
    let Some(number) = status.signal() else {
        return u8::try_from(status.code().unwrap_or(1)).unwrap_or(1);
    };
    // A core of the recorder would tell nothing of the subject.
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    // Best effort, as all that follows: the exit code says it too.
    let _ = setrlimit(Resource::Core, none);
    let _ = emulate_default_handler(number);
    if let Some(signal) = Signal::from_named_raw(number) {
        let _ = kill_process(rustix::process::getpid(), signal);
    }
    u8::try_from(128 + number).unwrap_or(1)
}
