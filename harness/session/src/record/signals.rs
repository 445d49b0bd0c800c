//! Forwards signals, and ends as the subject ended.

use rustix::process::{Resource, Rlimit, Signal, kill_process, setrlimit};
use signal_hook::low_level::{emulate_default_handler, pipe};
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The signals by which an agent may end a module or notify it.
const PASSED: [Signal; 6] = [
    Signal::HUP,
    Signal::INT,
    Signal::QUIT,
    Signal::TERM,
    Signal::USR1,
    Signal::USR2,
];

/// The caught signals, with one pipe for each.
pub(super) struct Signals {
    caught: Vec<(Signal, UnixStream)>,
}

impl Signals {
    /// Catches signals from now on, except those that the agent ignores: the subject inherits those
    /// as ignored.
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

    /// Takes a signal that has arrived.
    pub(super) fn take(&mut self, index: usize) -> Option<Signal> {
        let (signal, pipe) = self.caught.get_mut(index)?;
        let mut byte = [0];
        matches!(pipe.read(&mut byte), Ok(1)).then_some(*signal)
    }
}

/// Is a signal, given by its number, ignored? The kernel tells.
pub fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .map_or("", str::trim);
    u64::from_str_radix(mask, 16).unwrap_or(0) >> (signal - 1) & 1 == 1
}

/// Ends this process by the signal that ended the subject; if it was no signal, returns the exit
/// code.
pub(super) fn end_as(status: ExitStatus) -> u8 {
    let Some(number) = status.signal() else {
        return u8::try_from(status.code().unwrap_or(1)).unwrap_or(1);
    };
    // A core dump of the recorder would say nothing about the subject.
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    // Errors are ignored here and below: the exit code reports the signal too.
    let _ = setrlimit(Resource::Core, none);
    let _ = emulate_default_handler(number);
    if let Some(signal) = Signal::from_named_raw(number) {
        let _ = kill_process(rustix::process::getpid(), signal);
    }
    u8::try_from(128 + number).unwrap_or(1)
}
