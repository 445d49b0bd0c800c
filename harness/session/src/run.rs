//! Takes the steps of a plan and records what happens.

use crate::SessionError;
use crate::effects::Snapshot;
use crate::link::{Awaited, Link};
use crate::sandbox::{self, ChildId, Host, Sandbox};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};
use stickler_transcript::{
    Answer, Bytes, Case, Drift, Event, ExitCause, Input, Phase, Plan, Protection, Send, Silence,
    Step, Stream, Target, Transcript, Usage, VERSION,
};

/// What a dialect has to tell about bytes.
pub trait Wire: Sync {
    /// The end of the first message in `buffer`, if it is complete. Everything
    /// before `scanned` was looked at already and held no end.
    fn message_end(&self, buffer: &[u8], scanned: usize) -> Option<usize>;
    /// Does this answer accept what was asked, so that messages that build on
    /// it may be sent?
    fn accepts(&self, phase: Phase, answer: &[u8]) -> bool;
}

/// What a session may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes that the subject may print in a session.
    pub output: u64,
    /// Processes that may be alive at once.
    pub processes: usize,
    /// Resident memory of all of them together, KiB.
    pub rss_kib: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            output: 16 << 20,
            processes: 256,
            rss_kib: 3 << 20,
        }
    }
}

/// How a session is run.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// The CPU for the subject, where the plan allows to choose one.
    pub cpu: Option<usize>,
    /// What it may use.
    pub limits: Limits,
    /// Deadlines are multiplied by this; 0 counts as 1.
    pub patience: u32,
}

/// How often the watchdog looks while nothing else happens.
const TICK: Duration = Duration::from_millis(40);
/// How long a subject that went silent is given to say something once its
/// standard input is closed.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How long an answer that is not owed is waited for.
const OPTIONAL: Duration = Duration::from_millis(150);
/// How long processes may take to follow the subject's own end.
const AFTERMATH: Duration = Duration::from_millis(150);
/// Stderr is kept up to this size.
const STDERR_KEPT: u64 = 1 << 20;

/// Runs the plan of `case`, which it must have, and returns the transcript.
///
/// # Errors
/// Where the sandbox or a pipe cannot be made, where the plan is inconsistent,
/// or where a command of the author's fails. What the subject does is never an
/// error.
pub fn run(
    host: &Host,
    mut case: Case,
    wire: &dyn Wire,
    options: &RunOptions,
) -> Result<Transcript, SessionError> {
    let plan = case
        .plan
        .clone()
        .ok_or_else(|| SessionError::Plan("the case has no plan".into()))?;
    case.version = VERSION;
    case.tier = host.tier().to_string();
    case.lacks = host.lacks();
    let mut session = Session::open(host, &plan, wire, options)?;
    let complete = session.steps(&plan)?;
    session.close(complete)?;
    Ok(Transcript {
        case,
        events: session.events,
    })
}

/// What waiting came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reached {
    /// A message is complete.
    Message,
    /// The process ended or will never print again.
    End,
    /// The time is up.
    Time,
    /// A limit was passed.
    Limit(Silence),
}

/// Until when to wait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    Message,
    Exit,
    Time,
}

struct Session<'r> {
    wire: &'r dyn Wire,
    options: &'r RunOptions,
    sandbox: Sandbox,
    began: Instant,
    events: Vec<Event>,
    links: Vec<Option<Link>>,
    helpers: Vec<ChildId>,
    helper_exits: Vec<(ChildId, ExitCause)>,
    exchanges: usize,
    accepted: Vec<String>,
    observed: Option<Snapshot>,
    stderr_kept: u64,
    last_look: Instant,
    gone: bool,
}

impl<'r> Session<'r> {
    fn open(
        host: &Host,
        plan: &Plan,
        wire: &'r dyn Wire,
        options: &'r RunOptions,
    ) -> Result<Self, SessionError> {
        let text = |bytes: &Bytes| {
            use std::os::unix::ffi::OsStringExt;
            std::ffi::OsString::from_vec(bytes.0.clone())
        };
        let cpu = options.cpu.filter(|_| plan.pinned);
        let spec = sandbox::Spec {
            commands: plan
                .commands
                .iter()
                .map(|command| sandbox::Command {
                    argv: command.argv.iter().map(text).collect(),
                    env: command
                        .env
                        .iter()
                        .map(|(name, value)| (text(name), text(value)))
                        .collect(),
                    cwd: text(&command.cwd).into(),
                    umask: command.umask,
                    cpu,
                    unprivileged: command.unprivileged,
                })
                .collect(),
            target: match plan.target {
                Target::Plain => sandbox::Target::Plain,
                Target::Separate => sandbox::Target::Tmpfs,
                Target::Small => sandbox::Target::FullDisk,
            },
            plant: plan
                .plants
                .iter()
                .map(|plant| sandbox::PlantedFile {
                    path: text(&plant.path).into(),
                    bytes: plant.content.0.clone(),
                    mode: plant.mode,
                })
                .collect(),
        };
        let sandbox = Sandbox::start(host, &spec)?;
        let now = Instant::now();
        Ok(Session {
            wire,
            options,
            sandbox,
            began: now,
            events: Vec::with_capacity(64),
            links: Vec::new(),
            helpers: Vec::new(),
            helper_exits: Vec::new(),
            exchanges: 0,
            accepted: Vec::new(),
            observed: None,
            stderr_kept: 0,
            last_look: now,
            gone: false,
        })
    }

    fn now(&self) -> u64 {
        micros(self.began.elapsed())
    }

    fn patience(&self, us: u64) -> Duration {
        Duration::from_micros(us.saturating_mul(u64::from(self.options.patience.max(1))))
    }

    /// Takes all steps. Returns false where a process failed and the rest of
    /// its steps were left out.
    fn steps(&mut self, plan: &Plan) -> Result<bool, SessionError> {
        let mut complete = true;
        for step in &plan.steps {
            if self.gone {
                return Ok(false);
            }
            complete &= self.step(plan, step)?;
        }
        Ok(complete)
    }

    fn step(&mut self, plan: &Plan, step: &Step) -> Result<bool, SessionError> {
        match step {
            Step::Run {
                command,
                deadline_us,
            } => self.run_helper(plan, *command, *deadline_us)?,
            Step::Service {
                command,
                ready,
                deadline_us,
            } => self.start_service(plan, *command, ready.as_deref(), *deadline_us)?,
            Step::Start { process, command } => self.start(*process, *command)?,
            Step::Send(send) => return self.send(send),
            Step::Await { process } => {
                if !self.live(*process) {
                    return Ok(false);
                }
                let Some(awaited) = self.link(*process).and_then(|link| link.awaited.clone())
                else {
                    return Ok(true);
                };
                return Ok(self.answer(*process, &awaited, None));
            }
            Step::Observe { point } => self.observe(point)?,
            Step::Pause { us } => {
                self.wait(usize::MAX, Until::Time, Instant::now() + Duration::from_micros(*us));
            }
            Step::CloseInput { process } => self.close_input(*process),
            Step::CloseOutput { process } => {
                let t = self.now();
                if let Some(link) = self.link_mut(*process)
                    && link.stdout.take().is_some()
                {
                    self.events.push(Event::Closed {
                        t,
                        process: *process,
                        stream: Stream::Stdout,
                        by_harness: true,
                    });
                }
            }
            Step::AwaitExit {
                process,
                deadline_us,
            } => return Ok(self.await_exit(*process, *deadline_us)),
            Step::Kill { process } => self.kill(*process),
            Step::Protect { how } => {
                self.sandbox.protect(match how {
                    Protection::ReadOnly => sandbox::Protection::ReadOnly,
                    Protection::Full => sandbox::Protection::Full,
                    Protection::Forbidden => sandbox::Protection::Forbidden,
                })?;
                let t = self.now();
                self.events.push(Event::Protected { t, how: *how });
            }
            Step::Drift(drift) => self.drift(drift),
            Step::Sample { process } => self.sample(*process),
        }
        Ok(true)
    }

    fn link(&self, process: usize) -> Option<&Link> {
        self.links.get(process).and_then(Option::as_ref)
    }

    fn link_mut(&mut self, process: usize) -> Option<&mut Link> {
        self.links.get_mut(process).and_then(Option::as_mut)
    }

    fn live(&self, process: usize) -> bool {
        self.link(process).is_some_and(|link| !link.failed)
    }

    // --- starting -------------------------------------------------------

    fn start(&mut self, process: usize, command: usize) -> Result<(), SessionError> {
        let (ends, [stdin, stdout, stderr]) = Link::pipes()?;
        let child = self
            .sandbox
            .spawn(command, ends.stdin, ends.stdout, ends.stderr)?;
        if self.links.len() <= process {
            self.links.resize_with(process + 1, || None);
        }
        self.links[process] = Some(Link {
            child: child.id,
            host_pid: child.host_pid,
            stdin: Some(stdin),
            stdout: Some(stdout),
            stderr: Some(stderr),
            outgoing: std::collections::VecDeque::new(),
            incoming: Vec::new(),
            scanned: 0,
            received: 0,
            awaited: None,
            exit: None,
            failed: false,
        });
        let t = self.now();
        self.events.push(Event::Start { t, process });
        Ok(())
    }

    fn spawn_helper(&mut self, command: usize) -> Result<(ChildId, i32, OwnedFd), SessionError> {
        let (ends, [_, stdout, _]) = Link::pipes()?;
        let stderr = ends.stdout.try_clone().map_err(|error| {
            SessionError::Pipe(Errno::from_io_error(&error).unwrap_or(Errno::MFILE))
        })?;
        let child = self
            .sandbox
            .spawn(command, ends.stdin, ends.stdout, stderr)?;
        self.helpers.push(child.id);
        Ok((child.id, child.host_pid, stdout))
    }

    fn run_helper(
        &mut self,
        plan: &Plan,
        command: usize,
        deadline_us: u64,
    ) -> Result<(), SessionError> {
        let (id, _, output) = self.spawn_helper(command)?;
        let deadline = Instant::now() + self.patience(deadline_us);
        let mut printed = Vec::new();
        let failed = |why: String| SessionError::Command {
            what: command_line(plan, command),
            why,
        };
        loop {
            read_some(&output, &mut printed, 1 << 16);
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
            // At end of file the pipe is always ready: only the exit matters then.
            let _ = poll(&mut fds, Some(&timespec(Duration::from_millis(2))));
        }
    }

    fn start_service(
        &mut self,
        plan: &Plan,
        command: usize,
        ready: Option<&str>,
        deadline_us: u64,
    ) -> Result<(), SessionError> {
        let (id, host_pid, output) = self.spawn_helper(command)?;
        let Some(port) = ready.and_then(port_of) else {
            return Ok(());
        };
        let deadline = Instant::now() + self.patience(deadline_us);
        let mut printed = Vec::new();
        loop {
            if listens(host_pid, port) {
                return Ok(());
            }
            read_some(&output, &mut printed, 1 << 16);
            self.take_exits();
            let ended = self.helper_exits.iter().any(|exit| exit.0 == id);
            if ended || Instant::now() >= deadline {
                let why = if ended {
                    "it ended before it was ready"
                } else {
                    "nothing listens on its port in time"
                };
                return Err(SessionError::Command {
                    what: command_line(plan, command),
                    why: format!("{why}{}", printed_words(&printed)),
                });
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    // --- speaking -------------------------------------------------------

    fn send(&mut self, send: &Send) -> Result<bool, SessionError> {
        let process = send.process;
        if let Some(required) = &send.requires
            && !self.accepted.contains(required)
        {
            let t = self.now();
            self.events.push(Event::Unsent {
                t,
                key: send.key.clone(),
            });
            return Ok(true);
        }
        if !self.live(process) {
            return Ok(false);
        }
        self.stray(process);
        if !self.live(process) {
            return Ok(false);
        }
        self.exchanges += 1;
        let t = self.now();
        self.events.push(Event::Request(Input {
            t,
            process,
            exchange: self.exchanges,
            phase: send.phase,
            key: send.key.clone(),
            promise: send.promise.clone(),
            provenance: send.provenance,
            owed: send.answer != Answer::Optional,
        }));
        let size: usize = send.pieces.iter().map(|piece| piece.data.len()).sum();
        let awaited = Awaited {
            key: send.key.clone(),
            phase: send.phase,
            // Big messages take their time: a second more for each 256 KiB.
            deadline_us: send.deadline_us + (size as u64 >> 18) * 1_000_000,
            owed: send.answer != Answer::Optional,
        };
        for piece in &send.pieces {
            if piece.pause_us > 0 {
                self.wait(
                    process,
                    Until::Message,
                    Instant::now() + Duration::from_micros(piece.pause_us),
                );
            }
            self.write(process, &piece.data);
        }
        if let Some(link) = self.link_mut(process) {
            link.awaited = Some(awaited.clone());
        }
        if send.answer == Answer::Later {
            return Ok(true);
        }
        Ok(self.answer(process, &awaited, send.kill_after_us))
    }

    /// Takes what the subject printed without being asked, before the next
    /// message goes out.
    fn stray(&mut self, process: usize) {
        self.receive(process);
        if self
            .link(process)
            .is_some_and(|link| !link.incoming.is_empty() && self.exchanges > 0)
        {
            self.fail(process);
        }
    }

    /// Waits for an answer. Returns whether the session with this process can go on.
    fn answer(&mut self, process: usize, awaited: &Awaited, kill_after: Option<u64>) -> bool {
        let patience = if awaited.owed {
            self.patience(awaited.deadline_us)
        } else {
            OPTIONAL
        };
        let (wait, killing) = match kill_after {
            Some(us) if Duration::from_micros(us) < patience => (Duration::from_micros(us), true),
            _ => (patience, false),
        };
        let started = Instant::now();
        let reached = self.wait(process, Until::Message, started + wait);
        if killing {
            self.kill(process);
            return false;
        }
        match reached {
            Reached::Message => {
                let wire = self.wire;
                let accepted = {
                    let Some(link) = self.link_mut(process) else {
                        return false;
                    };
                    link.awaited = None;
                    let end = wire
                        .message_end(&link.incoming, 0)
                        .unwrap_or(link.incoming.len());
                    let message = link.take(end);
                    if wire.accepts(awaited.phase, &message) {
                        true
                    } else {
                        false
                    }
                };
                if accepted {
                    self.accepted.push(awaited.key.clone());
                } else {
                    // A later "no" to the same question takes the "yes" back.
                    self.accepted.retain(|key| *key != awaited.key);
                }
                true
            }
            Reached::Time if !awaited.owed => {
                if let Some(link) = self.link_mut(process) {
                    link.awaited = None;
                    // What came was no whole message; the next one stands alone.
                    link.incoming.clear();
                    link.scanned = 0;
                }
                true
            }
            Reached::End => {
                self.await_death(process);
                self.fail(process);
                false
            }
            Reached::Time => {
                self.silent(process, Silence::Deadline, started.elapsed());
                self.close_input(process);
                self.wait(process, Until::Message, Instant::now() + LAST_WORDS);
                self.kill(process);
                false
            }
            Reached::Limit(why) => {
                self.silent(process, why, started.elapsed());
                self.kill(process);
                false
            }
        }
    }

    fn silent(&mut self, process: usize, why: Silence, waited: Duration) {
        let t = self.now();
        self.events.push(Event::Silent {
            t,
            process,
            why,
            waited_us: micros(waited),
        });
    }

    /// Standard output ended; the exit status follows soon, if at all.
    fn await_death(&mut self, process: usize) {
        self.wait(process, Until::Exit, Instant::now() + AFTERMATH);
    }

    fn fail(&mut self, process: usize) {
        if let Some(link) = self.link_mut(process) {
            link.failed = true;
        }
    }

    fn close_input(&mut self, process: usize) {
        let t = self.now();
        if let Some(link) = self.link_mut(process)
            && link.stdin.take().is_some()
        {
            link.outgoing.clear();
            self.events.push(Event::Closed {
                t,
                process,
                stream: Stream::Stdin,
                by_harness: true,
            });
        }
    }

    fn await_exit(&mut self, process: usize, deadline_us: u64) -> bool {
        if self.link(process).is_none_or(|link| link.exit.is_some()) {
            return true;
        }
        let started = Instant::now();
        let reached = self.wait(process, Until::Exit, started + self.patience(deadline_us));
        match reached {
            Reached::End | Reached::Message => true,
            Reached::Time => {
                self.silent(process, Silence::Deadline, started.elapsed());
                self.kill(process);
                false
            }
            Reached::Limit(why) => {
                self.silent(process, why, started.elapsed());
                self.kill(process);
                false
            }
        }
    }

    fn kill(&mut self, process: usize) {
        let t = self.now();
        let Some(link) = self.link_mut(process) else {
            return;
        };
        link.failed = true;
        link.outgoing.clear();
        if link.exit.is_some() {
            return;
        }
        let id = link.child;
        self.events.push(Event::Killed { t, process });
        self.sandbox.kill_child(id);
        self.wait(
            process,
            Until::Exit,
            Instant::now() + Duration::from_secs(2),
        );
    }

    // --- the poll loop --------------------------------------------------

    /// Serves all pipes until something is reached for `process`.
    fn wait(&mut self, process: usize, until: Until, deadline: Instant) -> Reached {
        loop {
            if until == Until::Message && self.whole_message(process) {
                return Reached::Message;
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
            self.turn((deadline - now).min(TICK));
            if self.gone {
                return Reached::End;
            }
            if self
                .links
                .iter()
                .flatten()
                .any(|link| link.received > self.options.limits.output)
            {
                return Reached::Limit(Silence::Flood);
            }
        }
    }

    fn whole_message(&mut self, process: usize) -> bool {
        let wire = self.wire;
        let Some(link) = self.link_mut(process) else {
            return false;
        };
        if link.incoming.len() == link.scanned {
            return false;
        }
        if wire.message_end(&link.incoming, link.scanned).is_some() {
            return true;
        }
        link.scanned = link.incoming.len();
        false
    }

    fn ended(&self, process: usize, until: Until) -> bool {
        self.link(process).is_none_or(|link| match until {
            // A grandchild may hold the pipe: then the exit is what counts.
            Until::Exit => link.exit.is_some(),
            Until::Message | Until::Time => link.stdout.is_none(),
        })
    }

    /// One turn of the loop: polls once and serves what is ready.
    fn turn(&mut self, timeout: Duration) {
        let mut ready: [(usize, Stream); 12] = [(0, Stream::Stdin); 12];
        let mut count = 0;
        let mut control = false;
        {
            let mut fds: Vec<PollFd<'_>> = Vec::with_capacity(4 * self.links.len() + 1);
            let mut what: Vec<(usize, Stream)> = Vec::with_capacity(3 * self.links.len());
            fds.push(PollFd::from_borrowed_fd(
                self.sandbox.control_fd(),
                PollFlags::IN,
            ));
            for (process, link) in self.links.iter().enumerate() {
                let Some(link) = link else { continue };
                if let Some(fd) = &link.stdout {
                    fds.push(PollFd::new(fd, PollFlags::IN));
                    what.push((process, Stream::Stdout));
                }
                if let Some(fd) = &link.stderr {
                    fds.push(PollFd::new(fd, PollFlags::IN));
                    what.push((process, Stream::Stderr));
                }
                if let Some(fd) = link.stdin.as_ref().filter(|_| !link.outgoing.is_empty()) {
                    fds.push(PollFd::new(fd, PollFlags::OUT));
                    what.push((process, Stream::Stdin));
                }
            }
            if poll(&mut fds, Some(&timespec(timeout))).is_err() {
                return;
            }
            control = control || !fds[0].revents().is_empty();
            for (fd, what) in fds[1..].iter().zip(&what) {
                if !fd.revents().is_empty() && count < ready.len() {
                    ready[count] = *what;
                    count += 1;
                }
            }
        }
        for (process, stream) in &ready[..count] {
            match stream {
                Stream::Stdout => self.receive(*process),
                Stream::Stderr => self.receive_errors(*process),
                Stream::Stdin => self.flush(*process),
            }
        }
        if control {
            // What a process printed before its end goes first into the record.
            for process in 0..self.links.len() {
                self.receive(process);
            }
            self.take_exits();
        }
    }

    fn write(&mut self, process: usize, data: &[u8]) {
        let Some(link) = self.link_mut(process) else {
            return;
        };
        link.outgoing.extend(data);
        self.flush(process);
        // The next piece may not pass this one.
        while self
            .link(process)
            .is_some_and(|link| !link.outgoing.is_empty() && link.stdin.is_some() && link.exit.is_none())
        {
            let deadline = Instant::now() + self.patience(2_000_000);
            let before = self.link(process).map_or(0, |link| link.outgoing.len());
            while self.link(process).is_some_and(|link| link.outgoing.len() == before) {
                if Instant::now() >= deadline
                    || self.ended(process, Until::Exit)
                    || self.gone
                    || self.link(process).is_some_and(|link| link.stdin.is_none())
                    || self.watch(Instant::now()).is_some()
                {
                    return;
                }
                self.turn(TICK);
            }
        }
    }

    fn flush(&mut self, process: usize) {
        let t = self.now();
        let Some(link) = self.links.get_mut(process).and_then(Option::as_mut) else {
            return;
        };
        let Some(stdin) = &link.stdin else {
            return;
        };
        while !link.outgoing.is_empty() {
            let (chunk, _) = link.outgoing.as_slices();
            match rustix::io::write(stdin, chunk) {
                Ok(n) => {
                    let data = Bytes(chunk[..n].to_vec());
                    link.outgoing.drain(..n);
                    self.events.push(Event::In { t, process, data });
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => {
                    link.outgoing.clear();
                    link.stdin = None;
                    self.events.push(Event::Closed {
                        t,
                        process,
                        stream: Stream::Stdin,
                        by_harness: false,
                    });
                    return;
                }
            }
        }
    }

    fn receive(&mut self, process: usize) {
        let t = self.now();
        let limit = self.options.limits.output;
        let Some(link) = self.links.get_mut(process).and_then(Option::as_mut) else {
            return;
        };
        let mut buffer = [0u8; 16 << 10];
        while let Some(stdout) = &link.stdout {
            if link.received > limit {
                return;
            }
            match rustix::io::read(stdout, &mut buffer) {
                Ok(0) => {
                    link.stdout = None;
                    self.events.push(Event::Closed {
                        t,
                        process,
                        stream: Stream::Stdout,
                        by_harness: false,
                    });
                }
                Ok(n) => {
                    link.received += n as u64;
                    link.incoming.extend_from_slice(&buffer[..n]);
                    self.events.push(Event::Out {
                        t,
                        process,
                        data: Bytes(buffer[..n].to_vec()),
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

    fn receive_errors(&mut self, process: usize) {
        let t = self.now();
        let Some(link) = self.links.get_mut(process).and_then(Option::as_mut) else {
            return;
        };
        let Some(stderr) = &link.stderr else {
            return;
        };
        let mut buffer = [0u8; 16 << 10];
        match rustix::io::read(stderr, &mut buffer) {
            Ok(0) => link.stderr = None,
            Ok(n) => {
                // Counted with stdout: a flood is a flood.
                link.received += n as u64;
                if self.stderr_kept < STDERR_KEPT {
                    self.stderr_kept += n as u64;
                    self.events.push(Event::Err {
                        t,
                        process,
                        data: Bytes(buffer[..n].to_vec()),
                    });
                }
            }
            Err(_) => {}
        }
    }

    fn take_exits(&mut self) {
        while let Some((id, cause, usage)) = self.next_exit() {
            let t = self.now();
            let process = self
                .links
                .iter()
                .position(|link| link.as_ref().is_some_and(|link| link.child == id));
            match process {
                Some(process) => {
                    self.receive(process);
                    self.receive_errors(process);
                    if let Some(link) = self.link_mut(process) {
                        link.exit = Some(cause);
                        link.outgoing.clear();
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

    fn next_exit(&mut self) -> Option<(ChildId, ExitCause, Usage)> {
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

    /// Looks after the whole tree now and then.
    fn watch(&mut self, now: Instant) -> Option<Silence> {
        if now.duration_since(self.last_look) < TICK {
            return None;
        }
        self.last_look = now;
        let (processes, rss_kib) = self.sandbox.tree_usage();
        let limits = self.options.limits;
        let why = if processes > limits.processes {
            Silence::Processes
        } else if rss_kib > limits.rss_kib {
            Silence::Memory
        } else {
            return None;
        };
        self.sandbox.kill();
        self.take_exits();
        self.gone = true;
        Some(why)
    }

    // --- looking --------------------------------------------------------

    fn observe(&mut self, point: &str) -> Result<(), SessionError> {
        let snapshot = self.sandbox.snapshot()?;
        let changes = match &self.observed {
            Some(earlier) => snapshot.diff(earlier),
            None => Vec::new(),
        };
        let t = self.now();
        self.events.push(Event::Effects {
            t,
            point: point.to_owned(),
            changes,
            truncated: snapshot.truncated(),
        });
        self.observed = Some(snapshot);
        Ok(())
    }

    fn drift(&mut self, drift: &Drift) {
        let done = match drift {
            Drift::Write { path, content } => self.sandbox.write_file(path, content),
            Drift::Mode { path, mode } => self.sandbox.chmod(path, *mode),
            Drift::Owner { path, uid, gid } => self.sandbox.chown(path, *uid, *gid),
            Drift::Link { path, target } => self.sandbox.symlink(path, target),
            Drift::Directory { path } => self.sandbox.mkdir(path),
            Drift::Remove { path } => self.sandbox.remove(path),
        };
        let t = self.now();
        self.events.push(Event::Drifted {
            t,
            drift: drift.clone(),
            failed: done.err().map(|error| error.to_string()),
        });
    }

    fn sample(&mut self, process: usize) {
        let Some(link) = self.link(process).filter(|link| link.exit.is_none()) else {
            return;
        };
        if let Some(sample) = self.sandbox.sample(link.host_pid) {
            let t = self.now();
            self.events.push(Event::Sample {
                t,
                process,
                requests: self.exchanges,
                rss_kib: sample.rss_kib,
                descriptors: sample.descriptors,
            });
        }
    }

    // --- ending ---------------------------------------------------------

    fn close(&mut self, complete: bool) -> Result<(), SessionError> {
        let running: Vec<usize> = (0..self.links.len())
            .filter(|process| self.link(*process).is_some_and(|link| link.exit.is_none()))
            .collect();
        for process in running {
            self.close_input(process);
            self.kill(process);
        }
        if !self.gone {
            self.left();
            self.observe("end")?;
        }
        let t = self.now();
        self.events.push(Event::End { t, complete });
        self.sandbox.kill();
        Ok(())
    }

    /// Notes processes that outlive the subject, after a short grace.
    fn left(&mut self) {
        let deadline = Instant::now() + AFTERMATH;
        let mut left;
        loop {
            left = self.sandbox.processes();
            left.retain(|process| !self.helpers.contains(&process.child));
            if left.is_empty() || Instant::now() >= deadline {
                break;
            }
            std::thread::sleep(Duration::from_millis(3));
        }
        if left.is_empty() {
            return;
        }
        for process in 0..self.links.len() {
            self.receive(process);
        }
        let t = self.now();
        self.events.push(Event::Left {
            t,
            holds_stdout: self.links.iter().flatten().any(|link| link.stdout.is_some()),
            holds_stdin: left.iter().any(|process| process.holds_stdin),
            processes: left
                .iter()
                .take(16)
                .map(|process| process.command_line.clone())
                .collect(),
        });
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}

fn read_some(from: &OwnedFd, into: &mut Vec<u8>, limit: usize) {
    let mut buffer = [0u8; 4096];
    while let Ok(n) = rustix::io::read(from.as_fd(), &mut buffer) {
        if n == 0 {
            return;
        }
        let room = limit.saturating_sub(into.len());
        into.extend_from_slice(&buffer[..n.min(room)]);
    }
}

fn command_line(plan: &Plan, command: usize) -> String {
    plan.commands.get(command).map_or_else(String::new, |command| {
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

/// Does anything listen on this TCP port in the network of that process?
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
