//! Starts the subject, setup commands and services.

use super::pump::{Pipe, service_token, token, watch_token};
use super::{Session, timespec};
use crate::SessionError;
use crate::link::{Link, SubjectEnds, Watched};
use crate::notices::Notices;
use crate::sandbox::{self, Announced, ChildId};
use rustix::event::{PollFd, PollFlags, epoll, poll};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};
use stickler_transcript::{AtWrite, Bytes, Event, ExitCause, Plan, Step, Stream, Usage};

/// How it is told that a command of the author cannot be started: it is not there, or is no program.
pub const UNSTARTED: &str = "cannot be started";

/// How long a service may take to start once more, in microseconds.
const RESTART_US: u64 = 10_000_000;

impl Session<'_> {
    /// Starts a process of the subject, which is stopped before the calls that are announced.
    pub(super) fn start(
        &mut self,
        process: usize,
        command: usize,
        announced: Announced,
    ) -> Result<(), SessionError> {
        // Once it runs, the process may keep this thread off their CPU.
        let t = self.now();
        let (ends, [stdin, stdout, stderr]) = Link::pipes()?;
        let SubjectEnds {
            stdin: input,
            stdout: output,
            stderr: errors,
        } = ends;
        let sandbox = &mut self.sandbox;
        let mut printed = None;
        let child = if self.channels.contains(&command) {
            // The other end of standard input is closed at once.
            let (ends, [_, kept, _]) = Link::pipes()?;
            printed = Some(kept);
            let usual = [ends.stdin, ends.stdout, errors];
            sandbox.spawn_on_channel(command, announced, usual, [input, output])
        } else {
            sandbox.spawn_watched(command, announced, input, output, errors)
        };
        let (child, watch, unstarted) = match child {
            Ok((child, watch)) => (Some(child), watch, None),
            // An earlier process caused this: it removed its own program, used up all processes, or
            // ended the sandbox.
            Err(error) if self.links.iter().any(Option::is_some) => {
                (None, None, Some(error.to_string()))
            }
            Err(error) => return Err(error.into()),
        };
        let open = |end| child.as_ref().map(|_| end);
        for (fd, pipe) in [(&stdout, Pipe::Stdout), (&stderr, Pipe::Stderr)] {
            epoll::add(
                &self.epoll,
                fd,
                epoll::EventData::new_u64(token(process, pipe)),
                epoll::EventFlags::IN,
            )
            .map_err(SessionError::Pipe)?;
        }
        if let Some(printed) = &printed {
            let data = epoll::EventData::new_u64(token(process, Pipe::Printed));
            epoll::add(&self.epoll, printed, data, epoll::EventFlags::IN)
                .map_err(SessionError::Pipe)?;
        }
        if let Some(watch) = &watch {
            let data = epoll::EventData::new_u64(watch_token(process));
            epoll::add(&self.epoll, watch, data, epoll::EventFlags::IN)
                .map_err(SessionError::Pipe)?;
        }
        self.touched.start(watch.is_some());
        if self.links.len() <= process {
            self.links.resize_with(process + 1, || None);
        }
        self.links[process] = Some(Link {
            child: child.as_ref().map(|child| child.id),
            host_pid: child.as_ref().map_or(0, |child| child.host_pid),
            stdin: open(stdin),
            stdout: open(stdout),
            stderr: open(stderr),
            printed,
            watched: watch.map(|watch| Watched {
                watch,
                writes: 0,
                plan: AtWrite::Count,
                failed: None,
                call: None,
                changed: BTreeMap::new(),
                only_touches: announced == Announced::Touches,
            }),
            outgoing: Bytes::default(),
            written: 0,
            incoming: Vec::new(),
            scanned: 0,
            end: None,
            notices: Notices::default(),
            received: 0,
            errors: 0,
            limit: self.options.limits.unasked,
            awaited: None,
            reads_since: None,
            exit: None,
            unstarted,
            failed: false,
            deaf: false,
        });
        self.events.push(Event::Start { t, process });
        Ok(())
    }

    /// Records the end of a process that could not be started, with the exit code that a shell
    /// would use. This happens when a step first needs the process.
    pub(super) fn bury(&mut self, process: usize) {
        let unstarted = |link: &mut Link| link.unstarted.take();
        let Some(why) = self.link_mut(process).and_then(unstarted) else {
            return;
        };
        let t = self.now();
        let cause = if self.sandbox.is_gone() {
            ExitCause::Lost
        } else {
            ExitCause::Code(127)
        };
        if let Some(link) = self.link_mut(process) {
            link.exit = Some(cause);
        }
        self.events.push(Event::Err {
            t,
            process,
            data: why.into(),
        });
        self.events.push(Event::Closed {
            t,
            process,
            stream: Stream::Stdout,
            by_harness: false,
        });
        self.events.push(Event::Exit {
            t,
            process,
            cause,
            usage: Usage::default(),
        });
    }

    /// Starts a command of the author's configuration.
    fn spawn_helper(
        &mut self,
        plan: &Plan,
        command: usize,
    ) -> Result<(ChildId, i32, OwnedFd), SessionError> {
        let (ends, [_, stdout, _]) = Link::pipes()?;
        let stderr = ends.stdout.try_clone().map_err(|error| {
            SessionError::Pipe(Errno::from_io_error(&error).unwrap_or(Errno::MFILE))
        })?;
        let child = self
            .sandbox
            .spawn(command, ends.stdin, ends.stdout, stderr)
            .map_err(|error| match error {
                // It is not the subject that cannot be started.
                sandbox::Error::Spawn { source, .. } => SessionError::Command {
                    what: command_line(plan, command),
                    why: format!("{UNSTARTED}: {source}"),
                },
                other => other.into(),
            })?;
        self.helpers.push(child.id);
        Ok((child.id, child.host_pid, stdout))
    }

    pub(super) fn run_helper(
        &mut self,
        plan: &Plan,
        command: usize,
        deadline_us: u64,
    ) -> Result<(), SessionError> {
        let failed = |why: String| SessionError::Command {
            what: command_line(plan, command),
            why,
        };
        let (id, _, output) = self.spawn_helper(plan, command)?;
        let deadline = Instant::now() + self.patience(deadline_us);
        let mut printed = Vec::new();
        let mut ended = false;
        loop {
            ended |= read_some(&output, &mut printed, 1 << 16);
            self.take_exits();
            if let Some(at) = self.helper_exits.iter().position(|exit| exit.0 == id) {
                let (_, cause) = self.helper_exits.remove(at);
                self.helpers.retain(|helper| *helper != id);
                read_some(&output, &mut printed, 1 << 16);
                return match cause {
                    ExitCause::Code(0) => Ok(()),
                    cause => Err(failed(format!(
                        "{}{}",
                        describe_exit(cause),
                        printed_words(&printed)
                    ))),
                };
            }
            if self.stops() {
                return Err(SessionError::Stopped);
            }
            if Instant::now() >= deadline {
                return Err(failed(format!(
                    "not done after {:.1} s{}",
                    self.patience(deadline_us).as_secs_f64(),
                    printed_words(&printed)
                )));
            }
            let control = self.sandbox.control_fd();
            let mut fds = [
                PollFd::from_borrowed_fd(control, PollFlags::IN),
                PollFd::new(&output, PollFlags::IN),
            ];
            // At its end the pipe is always readable, so only the exit is polled.
            let fds = if ended { &mut fds[..1] } else { &mut fds[..] };
            let _ = poll(fds, Some(&timespec(Duration::from_millis(2))));
        }
    }

    /// Discards a service's further output: a closed or full pipe would end or block it.
    fn let_it_print(&mut self, output: OwnedFd) -> Result<(), SessionError> {
        epoll::add(
            &self.epoll,
            &output,
            epoll::EventData::new_u64(service_token(self.services.len())),
            epoll::EventFlags::IN,
        )
        .map_err(SessionError::Pipe)?;
        self.services.push(Some(output));
        Ok(())
    }

    pub(super) fn start_service(
        &mut self,
        plan: &Plan,
        command: usize,
        ready: Option<&str>,
        deadline_us: u64,
    ) -> Result<(), SessionError> {
        let (id, host_pid, output) = self.spawn_helper(plan, command)?;
        let Some(port) = ready.and_then(port_of) else {
            return self.let_it_print(output);
        };
        let deadline = Instant::now() + self.patience(deadline_us);
        let mut printed = Vec::new();
        let mut pause = Duration::from_micros(500);
        loop {
            if listens(host_pid, port) {
                return self.let_it_print(output);
            }
            read_some(&output, &mut printed, usize::MAX);
            printed.drain(..printed.len().saturating_sub(1 << 16));
            self.take_exits();
            if self.stops() {
                return Err(SessionError::Stopped);
            }
            let ended = self.helper_exits.iter().find(|exit| exit.0 == id);
            if ended.is_some() || Instant::now() >= deadline {
                let why = match ended {
                    Some((_, cause)) => {
                        format!("it ended before it was ready ({})", describe_exit(*cause))
                    }
                    None => format!("nothing listens on port {port} in time"),
                };
                // What it printed last says most.
                read_some(&output, &mut printed, usize::MAX);
                return Err(SessionError::Command {
                    what: command_line(plan, command),
                    why: format!("{why}{}", last_lines(&printed)),
                });
            }
            std::thread::sleep(pause);
            // One that starts quickly is noticed at once, and waiting for a slow one costs little.
            pause = (pause * 5 / 4).min(Duration::from_millis(5));
        }
    }
}

impl Session<'_> {
    /// Starts the services of the steps so far once more. A port may not be free again yet.
    pub(super) fn restart_services(&mut self, plan: &Plan) -> Result<(), SessionError> {
        for step in &plan.steps {
            match step {
                Step::Service { command, ready, .. } => {
                    match self.start_service(plan, *command, ready.as_deref(), RESTART_US) {
                        Err(SessionError::Command { .. }) => {
                            // Not later, either: what follows finds the same.
                            self.stop_services();
                            return Ok(());
                        }
                        other => other?,
                    }
                }
                Step::RestartServices => break,
                _ => {}
            }
        }
        Ok(())
    }

    /// Kills all services and what they have started.
    pub(super) fn stop_services(&mut self) {
        for service in std::mem::take(&mut self.helpers) {
            self.sandbox.kill_family(service);
        }
        self.take_exits();
    }
}

/// Reads what is available. Returns whether the end was reached.
fn read_some(from: &OwnedFd, into: &mut Vec<u8>, limit: usize) -> bool {
    let mut buffer = [0u8; 4096];
    while let Ok(n) = rustix::io::read(from.as_fd(), &mut buffer) {
        if n == 0 {
            return true;
        }
        let room = limit.saturating_sub(into.len());
        into.extend_from_slice(&buffer[..n.min(room)]);
    }
    false
}

fn command_line(plan: &Plan, command: usize) -> String {
    plan.commands
        .get(command)
        .map_or_else(String::new, |command| {
            let words: Vec<_> = command.argv.iter().map(Bytes::lossy).collect();
            words.join(" ")
        })
}

fn describe_exit(cause: ExitCause) -> String {
    match cause {
        ExitCause::Code(code) => format!("exit status {code}"),
        ExitCause::Signal(signal) => format!("ended by signal {signal}"),
        ExitCause::Lost => "it was lost with the sandbox".into(),
    }
}

fn printed_words(printed: &[u8]) -> String {
    let text = String::from_utf8_lossy(printed);
    let text = text.trim();
    if text.is_empty() {
        String::new()
    } else {
        format!(": {text}")
    }
}

/// The last lines of what a service printed.
fn last_lines(printed: &[u8]) -> String {
    const MOST: usize = 8;
    let text = String::from_utf8_lossy(printed);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let last = &lines[lines.len().saturating_sub(MOST)..];
    if last.iter().all(|line| line.trim().is_empty()) {
        return "; it printed nothing".to_owned();
    }
    format!(":\n    {}", last.join("\n    "))
}

/// The port of `http://host:port/…` or `host:port`.
fn port_of(ready: &str) -> Option<u16> {
    let rest = ready.split_once("://").map_or(ready, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or(rest);
    match authority.rsplit_once(':') {
        Some((_, port)) => port.parse().ok(),
        None if ready.starts_with("http://") => Some(80),
        None if ready.starts_with("https://") => Some(443),
        None => None,
    }
}

/// Does any process listen on this TCP port in the network of that process?
fn listens(host_pid: i32, port: u16) -> bool {
    ["tcp", "tcp6"].iter().any(|table| {
        std::fs::read_to_string(format!("/proc/{host_pid}/net/{table}")).is_ok_and(|text| {
            text.lines().skip(1).any(|line| {
                let mut fields = line.split_ascii_whitespace().skip(1);
                let local = fields.next().unwrap_or("");
                let state = fields.nth(1).unwrap_or("");
                state == "0A"
                    && local
                        .rsplit_once(':')
                        .and_then(|(_, hex)| u16::from_str_radix(hex, 16).ok())
                        == Some(port)
            })
        })
    })
}
