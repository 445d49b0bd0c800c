//! The poll loop: serves all pipes at once, and never blocks on one alone.

use super::{READING, Reached, STDERR_KEPT, Session, TICK, Until, Wire, micros, timespec, weight};
use crate::link::{Authors, Link};
use crate::sandbox::{self, ChildId};
use rustix::event::epoll;
use rustix::io::Errno;
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};
use stickler_transcript::{AtWrite, Bytes, Call, Event, ExitCause, Name, Silence, Stream, Usage};

impl Session<'_> {
    /// Serves all pipes until `process` reaches something that ends the wait.
    pub(super) fn wait(&mut self, process: usize, until: Until<'_>, deadline: Instant) -> Reached {
        loop {
            if until == Until::Message && self.whole_message(process) {
                return Reached::Message;
            }
            if let Until::Notice { name, from } = until {
                self.hear(process);
                let link = self.link(process);
                if link.is_some_and(|link| link.notices.find(name, from).is_some()) {
                    return Reached::Message;
                }
            }
            if until != Until::Time && self.ended(process, until) {
                return Reached::End;
            }
            let now = Instant::now();
            if now >= deadline {
                return Reached::Time;
            }
            if let Some(limit) = self.watch(now) {
                return Reached::Limit(limit);
            }
            if until == Until::Message && self.only_reads(process, now) {
                return Reached::Reading;
            }
            self.turn((deadline - now).min(TICK));
            if self.stops() {
                return Reached::End;
            }
            if self.floods() {
                return Reached::Limit(Silence::Flood);
            }
        }
    }

    /// Does a process that is still in use print endlessly?
    fn floods(&self) -> bool {
        let limit = self.options.limits.errors;
        self.links
            .iter()
            .flatten()
            .any(|link| !link.failed && (link.received > link.limit || link.errors > limit))
    }

    /// Is there an answer? Notifications before it are kept apart.
    pub(super) fn whole_message(&mut self, process: usize) -> bool {
        let (name_of, wire) = (self.framing.notification, self.wire);
        while self.next_message(process) {
            let Some(link) = self.link_mut(process) else {
                return false;
            };
            let Some(end) = link.end else {
                return false;
            };
            let Some(name) = name_of.and_then(|name_of| name_of(&link.incoming[..end])) else {
                return true;
            };
            let message = link.incoming[..end].to_vec();
            link.forget(end);
            link.notified(wire, name, message);
        }
        false
    }

    /// Searches the output for the end of the first message.
    fn next_message(&mut self, process: usize) -> bool {
        let end = self.framing.message_end;
        let Some(link) = self.link_mut(process) else {
            return false;
        };
        if link.incoming.len() == link.scanned {
            return false;
        }
        link.end = end(&link.incoming, link.scanned);
        if link.end.is_none() {
            link.scanned = link.incoming.len();
        }
        link.end.is_some()
    }

    /// Has the subject only waited for input for a while, although everything was sent?
    fn only_reads(&mut self, process: usize, now: Instant) -> bool {
        let limit = self.patience(micros(READING));
        let looked = self.last_look == now;
        let Some(link) = self.links.get_mut(process).and_then(Option::as_mut) else {
            return false;
        };
        if !looked || link.awaited.is_none() {
            return false;
        }
        let reads = link.outgoing.is_empty()
            && link
                .stdin
                .as_ref()
                .zip(link.child)
                .is_some_and(|(stdin, child)| self.sandbox.only_reads(child, stdin.as_fd()));
        if !reads {
            link.reads_since = None;
            return false;
        }
        now.duration_since(*link.reads_since.get_or_insert(now)) >= limit
    }

    pub(super) fn ended(&self, process: usize, until: Until<'_>) -> bool {
        self.link(process).is_none_or(|link| match until {
            // A grandchild may hold the pipe, so only the exit counts.
            Until::Exit => link.exit.is_some(),
            Until::Message | Until::Notice { .. } | Until::Time => link.stdout.is_none(),
        })
    }

    /// One turn of the loop: waits once and serves what is ready.
    pub(super) fn turn(&mut self, timeout: Duration) {
        // If another request already received the exit, the descriptor does not become readable.
        if self.sandbox.has_news() {
            return self.take_exits();
        }
        let mut events = [MaybeUninit::<epoll::Event>::uninit(); 16];
        let Ok((ready, _)) = epoll::wait(&self.epoll, &mut events, Some(&timespec(timeout))) else {
            return;
        };
        let mut control = false;
        for event in &*ready {
            let number = event.data.u64();
            if number != CONTROL && number & SERVICE != 0 {
                self.drain_service(number & !SERVICE);
                continue;
            }
            if number != CONTROL && number & WATCH != 0 {
                self.announced(number & !WATCH, event.flags);
                continue;
            }
            match source(number) {
                None => control = true,
                Some((process, Pipe::Stdout)) => self.receive(process),
                Some((process, Pipe::Stdin)) => self.flush(process, self.now()),
                Some((process, pipe)) => self.receive_beside(process, pipe),
            }
        }
        if control {
            // The output of a process is recorded before its exit.
            for process in 0..self.links.len() {
                self.receive(process);
            }
            self.take_exits();
        }
    }

    /// Writes a piece of a message, at `t` microseconds. Returns whether the subject read all of it
    /// in time.
    pub(super) fn write(
        &mut self,
        process: usize,
        data: &Bytes,
        t: u64,
        patience: Duration,
    ) -> bool {
        let Some(link) = self.link_mut(process) else {
            return false;
        };
        link.outgoing.clone_from(data);
        link.written = 0;
        self.flush(process, t);
        if self
            .link(process)
            .is_none_or(|link| link.outgoing.is_empty())
        {
            return true;
        }
        let deadline = Instant::now() + patience;
        self.listen_for_room(process, true);
        // The next piece must not overtake this one.
        while self.link(process).is_some_and(|link| {
            !link.outgoing.is_empty() && link.stdin.is_some() && link.exit.is_none()
        }) {
            // A subject that reads slowly gets no more time than others.
            let deadline = deadline.min(Instant::now() + self.patience(2_000_000));
            let before = self.link(process).map_or(0, |link| link.written);
            while self
                .link(process)
                .is_some_and(|link| link.written == before && !link.outgoing.is_empty())
            {
                if Instant::now() >= deadline
                    || self.ended(process, Until::Exit)
                    || self.stops()
                    || self.link(process).is_some_and(|link| link.stdin.is_none())
                    || self.watch(Instant::now()).is_some()
                    || self.floods()
                {
                    return false;
                }
                self.turn(TICK);
            }
        }
        self.listen_for_room(process, false);
        true
    }

    /// Starts or stops waking up when standard input accepts bytes; needed only while bytes wait.
    fn listen_for_room(&self, process: usize, on: bool) {
        if let Some(stdin) = self.link(process).and_then(|link| link.stdin.as_ref()) {
            // If this fails, the loop still tries again at each tick.
            let _ = if on {
                epoll::add(
                    &self.epoll,
                    stdin,
                    epoll::EventData::new_u64(token(process, Pipe::Stdin)),
                    epoll::EventFlags::OUT,
                )
            } else {
                epoll::delete(&self.epoll, stdin)
            };
        }
    }

    fn flush(&mut self, process: usize, t: u64) {
        let Some(link) = self.links.get_mut(process).and_then(Option::as_mut) else {
            return;
        };
        let Some(stdin) = &link.stdin else {
            return;
        };
        while link.written < link.outgoing.len() {
            match rustix::io::write(stdin, &link.outgoing[link.written..]) {
                Ok(n) => {
                    let whole = n == link.outgoing.len();
                    let data = if whole {
                        std::mem::take(&mut link.outgoing)
                    } else {
                        link.outgoing.part(link.written..link.written + n)
                    };
                    link.written += n;
                    self.recorded += n as u64;
                    self.events.push(Event::In { t, process, data });
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => {
                    link.stdin = None;
                    self.events.push(Event::Closed {
                        t,
                        process,
                        stream: Stream::Stdin,
                        by_harness: false,
                    });
                    break;
                }
            }
        }
        link.outgoing = Bytes::default();
        link.written = 0;
    }

    /// Handles a call of the subject that waits: lets it continue, makes it fail, or kills the
    /// process before it.
    fn announced(&mut self, process: u64, flags: epoll::EventFlags) {
        let Ok(process) = usize::try_from(process) else {
            return;
        };
        let Some(link) = self.links.get_mut(process).and_then(Option::as_mut) else {
            return;
        };
        let Some(watched) = &mut link.watched else {
            return;
        };
        if !flags.contains(epoll::EventFlags::IN) {
            // No process is left that could make calls.
            link.watched = None;
            return;
        }
        let Some(call) = watched.watch.next() else {
            return;
        };
        if watched.only_touches {
            self.touched.note(&call);
            watched.watch.allow(call);
            return;
        }
        let subject = link.host_pid;
        // The author's stand-ins are not under test: their calls neither count nor fail.
        let mut counts = call.changes;
        if call.changes {
            let programs = call.programs(subject);
            let is_stand_in = stand_in(&programs, &self.stand_ins).is_some();
            counts = !is_stand_in;
            let author = Authors {
                itself: programs.is_empty(),
                stand_in: is_stand_in,
                other: !programs.is_empty() && !is_stand_in,
            };
            watched.note(&call, author);
        }
        watched.writes += u32::from(counts);
        match watched.plan {
            AtWrite::Kill(number) if counts && number == watched.writes => {
                watched.call = Some(Box::new(told(call, subject, &self.stand_ins)));
                if let Some(child) = self.killed(process) {
                    self.sandbox.kill_family(child);
                }
            }
            AtWrite::Fail(number) if counts && number == watched.writes => {
                watched.failed = Some(number);
                watched.call = Some(Box::new(told(call, subject, &self.stand_ins)));
                watched.watch.refuse(call, Errno::IO);
            }
            AtWrite::Count | AtWrite::Kill(_) | AtWrite::Fail(_) => watched.watch.allow(call),
        }
    }

    /// Discards the output of a service.
    fn drain_service(&mut self, service: u64) {
        let Some(slot) = usize::try_from(service)
            .ok()
            .and_then(|service| self.services.get_mut(service))
        else {
            return;
        };
        if let Some(output) = slot
            && matches!(rustix::io::read(output, &mut self.buffer[..]), Ok(0))
        {
            *slot = None;
        }
    }

    pub(super) fn receive(&mut self, process: usize) {
        let t = self.now();
        let Some(link) = self.links.get_mut(process).and_then(Option::as_mut) else {
            return;
        };
        let buffer = &mut self.buffer[..];
        while let Some(stdout) = &link.stdout {
            match rustix::io::read(stdout, &mut *buffer) {
                Ok(0) => {
                    link.stdout = None;
                    self.events.push(Event::Closed {
                        t,
                        process,
                        stream: Stream::Stdout,
                        by_harness: false,
                    });
                }
                // Output beyond the limit is discarded, so that the end of the pipe is seen.
                Ok(_) if link.received > link.limit => return,
                Ok(n) => {
                    link.received += n as u64;
                    self.recorded += weight(&buffer[..n]) as u64;
                    link.incoming.extend_from_slice(&buffer[..n]);
                    self.events.push(Event::Out {
                        t,
                        process,
                        data: Bytes::from(&buffer[..n]),
                    });
                    if n < buffer.len() {
                        return;
                    }
                }
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }

    /// Reads the subject's output outside the protocol.
    fn receive_beside(&mut self, process: usize, pipe: Pipe) {
        let t = self.now();
        let Some(link) = self.links.get_mut(process).and_then(Option::as_mut) else {
            return;
        };
        let end = match pipe {
            Pipe::Printed => &mut link.printed,
            _ => &mut link.stderr,
        };
        let Some(open) = end else {
            return;
        };
        let buffer = &mut self.buffer[..];
        match rustix::io::read(open, &mut *buffer) {
            Ok(0) => *end = None,
            Ok(n) => {
                let before = link.errors;
                link.errors += n as u64;
                if before < STDERR_KEPT {
                    self.recorded += n as u64;
                    let data = Bytes::from(&buffer[..n]);
                    self.events.push(match pipe {
                        Pipe::Printed => Event::Printed { t, process, data },
                        _ => Event::Err { t, process, data },
                    });
                }
            }
            Err(_) => {}
        }
    }

    pub(super) fn take_exits(&mut self) {
        while let Some((id, cause, usage)) = self.next_exit() {
            let t = self.now();
            let process = self
                .links
                .iter()
                .position(|link| link.as_ref().is_some_and(|link| link.child == Some(id)));
            match process {
                Some(process) => {
                    self.receive(process);
                    self.receive_beside(process, Pipe::Printed);
                    self.receive_beside(process, Pipe::Stderr);
                    if let Some(link) = self.link_mut(process) {
                        link.exit = Some(cause);
                        link.outgoing = Bytes::default();
                    }
                    self.events.push(Event::Exit {
                        t,
                        process,
                        cause,
                        usage,
                    });
                }
                None => self.helper_exits.push((id, cause)),
            }
        }
        if self.sandbox.is_gone() && !self.gone {
            self.gone = true;
            for process in 0..self.links.len() {
                let t = self.now();
                if let Some(link) = self.link_mut(process)
                    && link.exit.is_none()
                {
                    link.exit = Some(ExitCause::Lost);
                    self.events.push(Event::Exit {
                        t,
                        process,
                        cause: ExitCause::Lost,
                        usage: Usage::default(),
                    });
                }
            }
        }
    }

    pub(super) fn next_exit(&mut self) -> Option<(ChildId, ExitCause, Usage)> {
        let (id, status, usage) = self.sandbox.next_exit()?;
        let cause = match status {
            sandbox::ExitStatus::Code(code) => ExitCause::Code(code),
            sandbox::ExitStatus::Signal(signal) => ExitCause::Signal(signal),
        };
        Some((
            id,
            cause,
            Usage {
                user_us: usage.user_us,
                system_us: usage.system_us,
                max_rss_kib: usage.max_rss_kib,
            },
        ))
    }

    /// Checks the limits of all processes, at most once per tick.
    pub(super) fn watch(&mut self, now: Instant) -> Option<Silence> {
        if now.duration_since(self.last_look) < TICK {
            return None;
        }
        self.last_look = now;
        let limits = self.options.limits;
        let most = limits.processes + self.exchanges;
        let (processes, rss_kib) = self.sandbox.tree_usage(most);
        let why = if processes > most {
            Silence::Processes
        } else if rss_kib > limits.rss_kib {
            Silence::Memory
        } else {
            return None;
        };
        // The record names the reason before the end that follows from it.
        let waiting = |link: &Link| link.exit.is_none() && !link.failed;
        for process in 0..self.links.len() {
            if self.link(process).is_some_and(waiting) {
                self.silent(process, why, Duration::ZERO);
            }
        }
        self.sandbox.kill_processes();
        self.sandbox.kill();
        self.take_exits();
        self.gone = true;
        Some(why)
    }
}

impl Link {
    /// Keeps a notification, and answers it if it is a question.
    pub(super) fn notified(&mut self, wire: &dyn Wire, name: Name, message: Vec<u8>) {
        let reply = wire.reply(&message);
        self.notices.add(name, message);
        if let (Some(reply), Some(stdin), false) = (reply, &self.stdin, self.deaf) {
            self.deaf = !answer_at_once(stdin, &reply);
        }
    }
}

/// Answers a question of the subject, which reads nothing else meanwhile. Returns whether it could
/// be written: the pipe is full if the subject asks again and again and reads no answer.
pub(super) fn answer_at_once(stdin: &impl AsFd, mut reply: &[u8]) -> bool {
    const TRIES: usize = 200;
    for _ in 0..TRIES {
        match rustix::io::write(stdin, reply) {
            Ok(n) if n == reply.len() => return true,
            Ok(n) => reply = &reply[n..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => std::thread::sleep(Duration::from_millis(1)),
            // The end of the process is recorded where it is seen.
            Err(_) => break,
        }
    }
    false
}

/// A pipe of the subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pipe {
    /// The protocol's input pipe.
    Stdin,
    /// The protocol's output pipe.
    Stdout,
    /// Standard error.
    Stderr,
    /// Standard output, if the protocol has a separate channel.
    Printed,
}

/// The epoll token of a pipe.
pub(super) fn token(process: usize, pipe: Pipe) -> u64 {
    (process as u64) << 2 | pipe as u64
}

/// The pipe of a token; `None` for the sandbox's control channel.
fn source(token: u64) -> Option<(usize, Pipe)> {
    if token == CONTROL {
        return None;
    }
    let pipe = match token & 3 {
        0 => Pipe::Stdin,
        1 => Pipe::Stdout,
        2 => Pipe::Stderr,
        _ => Pipe::Printed,
    };
    Some((usize::try_from(token >> 2).ok()?, pipe))
}

/// Describes a waiting call.
fn told(call: sandbox::Call, subject: i32, stand_ins: &[Vec<u8>]) -> Call {
    let programs = call.programs(subject);
    let stand_in = stand_in(&programs, stand_ins);
    Call {
        name: call.name().to_owned(),
        path: call.paths().into_iter().next().map(Bytes::from),
        program: stand_in.or(programs.first()).cloned().map(Bytes::from),
        stand_in: stand_in.is_some(),
    }
}

/// The first stand-in among programs; the kernel truncates their names to 15 bytes.
fn stand_in<'p>(programs: &'p [Vec<u8>], stand_ins: &[Vec<u8>]) -> Option<&'p Vec<u8>> {
    let is_cut = |kept: &[u8], name: &[u8]| kept == &name[..name.len().min(15)];
    let stands_in = |name: &&Vec<u8>| stand_ins.iter().any(|known| is_cut(name, known));
    programs.iter().find(stands_in)
}

/// Marks the tokens of services.
const SERVICE: u64 = 1 << 62;

/// Marks the tokens of watched calls.
const WATCH: u64 = 1 << 61;

/// The token for the watched calls of a process.
pub(super) fn watch_token(process: usize) -> u64 {
    WATCH | process as u64
}

/// The token for a service's output.
pub(super) fn service_token(service: usize) -> u64 {
    SERVICE | service as u64
}

/// The token of the control channel.
pub(super) const CONTROL: u64 = u64::MAX;
