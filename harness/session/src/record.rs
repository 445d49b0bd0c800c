//! Relays all bytes between an agent and a subject and records them.
//!
//! The recorder passes bytes on at once in all directions. If one side closes a pipe, it closes the
//! other side too. It forwards signals to the subject, and ends as the subject ends. It does not
//! know where messages begin.

mod ends;
mod first;
mod name;
mod relay;
mod signals;
mod tape;

pub use first::{own_command, recorded_case};
pub use tape::{LIMIT, Tape};

use ends::Ends;
use relay::{End, Moved, Relay};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open, pidfd_send_signal};
use signals::Signals;
pub use signals::is_ignored;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use stickler_transcript::{Event, ExitCause, Stream, Usage};
use thiserror::Error;

/// How long the recorder waits for the agent to read what an ended subject has printed.
const PATIENCE: Duration = Duration::from_secs(5);

/// How soon after a closed standard input the subject's exit must follow to be its cause.
const AFTERMATH: Duration = Duration::from_millis(20);

/// The number of the only process.
const PROCESS: usize = 0;

/// Why a subject could not be recorded.
#[derive(Debug, Error)]
pub enum RecordError {
    /// It could not be started.
    #[error("cannot be started")]
    Start(#[source] io::Error),
    /// The recorder could not use pipes or signals, or wait for the subject.
    #[error("standing between agent and subject")]
    Io(#[from] io::Error),
}

/// Runs `command` between this process's standard streams and records it.
///
/// # Errors
/// If it cannot be started, or if pipes or signals fail.
pub fn record(command: &mut Command, tape: &mut Tape) -> Result<ExitStatus, RecordError> {
    let ends = Ends::take()?;
    let signals = Signals::catch()?;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(RecordError::Start)?;
    tape.note(&Event::Start {
        t: tape.now(),
        process: PROCESS,
    });
    let mut recorder = Recorder::new(&mut child, ends, signals, tape)?;
    let status = recorder.run(&mut child)?;
    tape.note(&Event::Exit {
        t: tape.now(),
        process: PROCESS,
        cause: cause(status),
        usage: Usage::default(),
    });
    Ok(status)
}

/// Ends this process as the subject ended; returns only if that was an exit code.
pub fn end_as(status: ExitStatus) -> u8 {
    signals::end_as(status)
}

/// How a process ended.
pub fn cause(status: ExitStatus) -> ExitCause {
    match (status.code(), status.signal()) {
        (Some(code), _) => ExitCause::Code(code),
        (None, Some(signal)) => ExitCause::Signal(signal),
        (None, None) => ExitCause::Lost,
    }
}

struct Recorder<'t> {
    relays: [Relay; 3],
    pidfd: OwnedFd,
    signals: Signals,
    tape: &'t mut Tape,
}

impl<'t> Recorder<'t> {
    fn new(
        child: &mut Child,
        ends: Ends,
        signals: Signals,
        tape: &'t mut Tape,
    ) -> io::Result<Self> {
        let lost = || io::Error::from(io::ErrorKind::BrokenPipe);
        let stdin = OwnedFd::from(child.stdin.take().ok_or_else(lost)?);
        let stdout = OwnedFd::from(child.stdout.take().ok_or_else(lost)?);
        let stderr = OwnedFd::from(child.stderr.take().ok_or_else(lost)?);
        let pid = i32::try_from(child.id())
            .ok()
            .and_then(Pid::from_raw)
            .ok_or_else(lost)?;
        let pidfd = pidfd_open(pid, PidfdFlags::empty())?;
        Ok(Recorder {
            relays: [
                Relay::new(Stream::Stdin, ends.stdin, stdin),
                Relay::new(Stream::Stdout, stdout, ends.stdout),
                Relay::new(Stream::Stderr, stderr, ends.stderr),
            ],
            pidfd,
            signals,
            tape,
        })
    }

    /// Relays bytes until the subject has ended and its remaining output is delivered.
    fn run(&mut self, child: &mut Child) -> io::Result<ExitStatus> {
        let mut status = None;
        let mut moved_at = Instant::now();
        loop {
            let timeout = status.map(|_| Duration::from_millis(50));
            let (moved, ended) = self.turn(timeout);
            if moved {
                moved_at = Instant::now();
            }
            if status.is_none() && ended {
                // Nobody reads the rest of its input.
                self.relays[0].close();
                status = Some(child.wait()?);
                moved_at = Instant::now();
                continue;
            }
            if let Some(status) = status {
                let pending = self.relays.iter().any(Relay::holds);
                // If other processes hold the pipes open, their output may never end.
                if !moved && (!pending || moved_at.elapsed() > PATIENCE) {
                    return Ok(status);
                }
            }
        }
    }

    /// Waits once and serves what is ready. Returns whether bytes moved, and whether the subject
    /// has ended.
    fn turn(&mut self, timeout: Option<Duration>) -> (bool, bool) {
        let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(12);
        let watched = self.relays.each_ref().map(|relay| relay.watch(&mut fds));
        let pidfd = fds.len();
        if timeout.is_none() {
            fds.push(PollFd::new(&self.pidfd, PollFlags::IN));
        }
        let first_signal = fds.len();
        fds.extend(
            self.signals
                .pipes()
                .map(|pipe| PollFd::new(pipe, PollFlags::IN)),
        );
        let limit = timeout.map(timespec);
        match poll(&mut fds, limit.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            // If polling fails, the recorder can only try again.
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
        let seen: Vec<PollFlags> = fds.iter().map(PollFd::revents).collect();
        drop(fds);
        let ended = timeout.is_none() && seen[pidfd].contains(PollFlags::IN);
        for (index, flags) in seen[first_signal..].iter().enumerate() {
            if !flags.is_empty() {
                self.pass_signal(index);
            }
        }
        let mut any = false;
        for (index, watched) in watched.iter().enumerate() {
            let moved = self.relays[index].serve(watched, &seen);
            any |= moved.any;
            self.tell(index, moved);
        }
        (any, ended)
    }

    fn pass_signal(&mut self, index: usize) {
        let Some(signal) = self.signals.take(index) else {
            return;
        };
        let t = self.tape.now();
        self.tape.note(&Event::Killed {
            t,
            process: PROCESS,
        });
        // The subject may have just ended.
        let _ = pidfd_send_signal(&self.pidfd, signal);
    }

    fn tell(&mut self, index: usize, moved: Moved) {
        let (t, process) = (self.tape.now(), PROCESS);
        let stream = self.relays[index].stream;
        if let Some(data) = moved.data {
            self.tape.keep(data.len(), || {
                let data = data.into();
                match stream {
                    Stream::Stdin => Event::In { t, process, data },
                    Stream::Stdout => Event::Out { t, process, data },
                    Stream::Stderr => Event::Err { t, process, data },
                }
            });
        }
        let by_harness = match (moved.closed, stream) {
            (None, _) => return,
            // The subject is ending, which closes its pipes.
            (Some(End::Sink), Stream::Stdin) if self.ends_soon() => return,
            (Some(End::Source), Stream::Stdin) if self.fell_silent() && self.ends_soon() => return,
            (Some(End::Source), Stream::Stdin) => true,
            (Some(End::Source), _) | (Some(End::Sink), Stream::Stdin) => false,
            (Some(End::Sink), _) => true,
        };
        self.tape.note(&Event::Closed {
            t,
            process,
            stream,
            by_harness,
        });
    }

    /// Has its standard output ended?
    fn fell_silent(&self) -> bool {
        self.relays
            .iter()
            .any(|relay| relay.stream == Stream::Stdout && relay.is_closed())
    }

    fn ends_soon(&self) -> bool {
        let mut fds = [PollFd::new(&self.pidfd, PollFlags::IN)];
        matches!(poll(&mut fds, Some(&timespec(AFTERMATH))), Ok(1))
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: 0,
        tv_nsec: duration.subsec_nanos().into(),
    }
}
