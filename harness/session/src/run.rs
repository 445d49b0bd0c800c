//! Executes the steps of a plan and records what happens.

mod listen;
mod look;
mod play;
mod pump;
mod speak;
pub(crate) mod start;
pub(crate) mod stepwise;
mod touched;
mod verify;

use crate::SessionError;
use crate::effects::Snapshot;
use crate::link::Link;
use crate::notices::Awaits;
use crate::sandbox::{self, Announced, ChildId, Host, Sandbox};
use crate::stage::{Answers, Stage};
use rustix::event::{Timespec, epoll};
use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use stickler_transcript::{
    Bytes, Deadlines, Event, ExitCause, Framing, Key, Name, Phase, Plan, Protection, Send, Silence,
    Step, Stream, Target,
};
use touched::Touched;

/// What the session needs to know about a dialect's messages.
pub trait Wire: Sync {
    /// Where messages end.
    fn framing(&self) -> Framing;
    /// Does this answer accept the request, so that the messages that require it may be sent?
    fn accepts(&self, phase: Phase, answer: &[u8]) -> bool;
    /// How many bytes the subject may print in answer to a message of this phase; `usual` is the
    /// default.
    fn limit(&self, _phase: Phase, usual: u64) -> u64 {
        usual
    }
    /// Are some messages made only when it is their turn, from earlier answers? Then the session keeps
    /// the answers, and calls [`Wire::play`].
    fn plays(&self) -> bool {
        false
    }
    /// What to write at once if a notification is a question. It has to follow from the
    /// notification alone, since the record does not hold it.
    fn reply(&self, _notification: &[u8]) -> Option<Vec<u8>> {
        None
    }
    /// What to write to acknowledge a notification, once a step has waited for it. It has to follow
    /// from the notification alone, as for [`Wire::reply`].
    fn acknowledge(&self, _notification: &[u8]) -> Option<Vec<u8>> {
        None
    }
    /// Sends what a planned message stands for: itself, another message, several, or none. Returns
    /// false if its process cannot answer any more.
    ///
    /// # Errors
    /// If the harness itself fails.
    fn play(&self, planned: &Send, stage: &mut dyn Stage) -> Result<bool, SessionError> {
        stage.step(Step::Send(planned.clone()))
    }
    /// Has the oracle do what a plan says in [`Plan::oracle`].
    ///
    /// # Errors
    /// If the harness itself fails.
    fn drive(&self, _oracle: &[u8], _stage: &mut dyn Stage) -> Result<(), SessionError> {
        Ok(())
    }
}

/// The limits of a session.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes that the subject may print between two messages.
    pub output: u64,
    /// Bytes that it may print before the first message.
    pub unasked: u64,
    /// Bytes that it may print on standard error between two messages.
    pub errors: u64,
    /// The size of the record, in bytes, after which the session sends no further message.
    pub record: u64,
    /// Bytes of file contents that one observation records.
    pub contents: u64,
    /// Processes that may exist at once, plus one for each request so far: a process left behind
    /// per request is no fork bomb.
    pub processes: usize,
    /// Resident memory of all processes together, KiB.
    pub rss_kib: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            unasked: 256 << 10,
            output: 8 << 20,
            errors: 16 << 20,
            record: 12 << 20,
            contents: 1 << 20,
            processes: 256,
            rss_kib: 3 << 20,
        }
    }
}

/// How a session runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions<'r> {
    /// The CPU for the subject, if the plan allows pinning.
    pub cpu: Option<usize>,
    /// The limits of the session.
    pub limits: Limits,
    /// Deadlines are multiplied by this; 0 counts as 1.
    pub patience: u32,
    /// A subject that uses a processor all the time gets only half of a deadline more.
    pub brisk: bool,
    /// The subject is known not to end by itself. The session kills it without waiting for the
    /// deadline, and does not record that it missed it.
    pub lingers: bool,
    /// Once set, the session ends at once with [`SessionError::Stopped`].
    pub stop: Option<&'r AtomicBool>,
    /// At this moment, too.
    pub until: Option<Instant>,
    /// When files are looked at.
    pub looks: Looks,
    /// May processes of the subject be copies of an interpreter that has started before? What such a session finds has
    /// to be confirmed without.
    pub warm: bool,
}

/// When a session looks at files, at the points that its plan names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Looks {
    /// At each of them.
    #[default]
    Always,
    /// Only if the subject may have changed some, by the calls that the kernel announces. What a
    /// subject of another architecture than the harness's does is then not seen.
    Touched {
        /// The device of files that the harness shares with the subject, if it does.
        ours: Option<u64>,
    },
}

/// How often the watchdog runs while nothing else happens.
const TICK: Duration = Duration::from_millis(40);
/// How long a subject may only wait for input while it owes an answer.
const READING: Duration = Duration::from_secs(1);
/// How long a subject that hangs may still print once its standard input is closed.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How many bytes may still come once standard input is closed, including an answer.
const LAST_OUTPUT: u64 = 2 << 20;
/// How long the session waits for an answer that is not owed, in microseconds.
pub const OPTIONAL_US: u64 = 150_000;
/// The factor for deadlines of a subject that had to wait for a processor.
const STARVED: u32 = 4;
/// The factor for deadlines of a subject that uses a processor all the time.
const WORKING: u32 = 3;
/// The longest wait for such a subject, unless its deadline is longer.
const WORKING_MOST: Duration = Duration::from_secs(30);
/// The interval in which such a subject uses a processor for at least a quarter of the time.
const WORKING_LOOK: Duration = Duration::from_millis(200);
/// How long other processes may take to end after the subject.
const AFTERMATH: Duration = Duration::from_millis(150);
/// How many bytes of standard error are kept between two messages.
const STDERR_KEPT: u64 = 64 << 10;

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reached {
    /// A message is complete.
    Message,
    /// The process ended or will never print again.
    End,
    /// The deadline has passed.
    Time,
    /// The process only waits for input.
    Reading,
    /// A limit was exceeded.
    Limit(Silence),
}

/// What to wait for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until<'p> {
    Message,
    /// A notification with this name, if one is given, and with this number or a later one.
    Notice {
        name: Option<&'p Name>,
        from: u64,
    },
    Exit,
    Time,
}

struct Session<'r> {
    wire: &'r dyn Wire,
    framing: Framing,
    options: &'r RunOptions<'r>,
    sandbox: Sandbox,
    began: Instant,
    events: Vec<Event>,
    links: Vec<Option<Link>>,
    helpers: Vec<ChildId>,
    /// The output of services, which the session discards.
    services: Vec<Option<OwnedFd>>,
    helper_exits: Vec<(ChildId, ExitCause)>,
    exchanges: usize,
    accepted: BTreeSet<Key>,
    /// The answers so far, if messages may depend on them.
    answers: Option<Answers>,
    deadlines: Deadlines,
    /// How many notifications each process had sent when the plan named a moment.
    marks: BTreeMap<Name, Vec<u64>>,
    observed: Option<Arc<Snapshot>>,
    /// May files have changed since then?
    touched: Touched,
    /// The approximate size of the record.
    recorded: u64,
    /// Did anything other than an exchange happen since the last answer?
    idle: bool,
    /// The names of programs that stand in for commands.
    stand_ins: Vec<Vec<u8>>,
    /// The commands that have a separate channel for messages.
    channels: BTreeSet<usize>,
    /// Do harness and subject share a CPU?
    shares_cpu: bool,
    epoll: OwnedFd,
    buffer: Vec<u8>,
    last_look: Instant,
    /// Was the sandbox ended, so that nothing more can be done?
    gone: bool,
    /// Did the user end the session?
    stopped: bool,
}

impl<'r> Session<'r> {
    fn open(
        host: &Host,
        plan: &Plan,
        deadlines: &Deadlines,
        wire: &'r dyn Wire,
        options: &'r RunOptions<'r>,
    ) -> Result<Self, SessionError> {
        let text = |bytes: &Bytes| {
            use std::os::unix::ffi::OsStringExt;
            std::ffi::OsString::from_vec(bytes.to_vec())
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
                    warm: options.warm,
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
                    bytes: plant.content.to_vec(),
                    mode: plant.mode,
                })
                .collect(),
        };
        let sandbox = Sandbox::start(host, &spec)?;
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(SessionError::Pipe)?;
        epoll::add(
            &epoll,
            sandbox.control_fd(),
            epoll::EventData::new_u64(pump::CONTROL),
            epoll::EventFlags::IN,
        )
        .map_err(SessionError::Pipe)?;
        let now = Instant::now();
        Ok(Session {
            wire,
            framing: wire.framing(),
            options,
            sandbox,
            began: now,
            events: Vec::with_capacity(64),
            links: Vec::new(),
            helpers: Vec::new(),
            services: Vec::new(),
            helper_exits: Vec::new(),
            exchanges: 0,
            accepted: BTreeSet::new(),
            answers: wire.plays().then(Answers::new),
            deadlines: deadlines.clone(),
            marks: BTreeMap::new(),
            observed: None,
            touched: Touched::new(options.looks),
            recorded: 0,
            idle: true,
            shares_cpu: cpu.is_some(),
            channels: (0..)
                .zip(&plan.commands)
                .filter(|(_, command)| command.channel)
                .map(|(index, _)| index)
                .collect(),
            stand_ins: plan.stand_ins.iter().map(|name| name.to_vec()).collect(),
            epoll,
            buffer: vec![0; 64 << 10],
            last_look: now,
            gone: false,
            stopped: false,
        })
    }

    fn now(&self) -> u64 {
        micros(self.began.elapsed())
    }

    fn patience(&self, us: u64) -> Duration {
        Duration::from_micros(us.saturating_mul(u64::from(self.options.patience.max(1))))
    }

    /// Executes all steps from `first` on. Returns false if a process failed or the session ended,
    /// and steps were left out.
    fn steps(&mut self, plan: &Plan, first: usize) -> Result<bool, SessionError> {
        let mut complete = true;
        for step in plan.steps.iter().skip(first) {
            let full = self.recorded > self.options.limits.record;
            if self.stops() || full && matches!(step, Step::Send(_)) {
                return Ok(false);
            }
            complete &= self.step(plan, step)?;
        }
        Ok(complete)
    }

    /// Is the session over?
    fn stops(&mut self) -> bool {
        let stop = self.options.stop;
        let is_over = || {
            self.options
                .until
                .is_some_and(|until| Instant::now() >= until)
        };
        if !self.gone && (stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) || is_over()) {
            self.stopped = true;
            self.gone = true;
        }
        self.gone
    }

    fn step(&mut self, plan: &Plan, step: &Step) -> Result<bool, SessionError> {
        self.idle |= !matches!(step, Step::Send(_));
        self.touched.step(step);
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
            Step::StopServices => self.stop_services(),
            Step::RestartServices => self.restart_services(plan)?,
            Step::Start { process, command } => {
                let counted = plan.steps.iter().any(|step| {
                    matches!(step, Step::Send(send)
                        if send.process == *process && send.at_write.is_some())
                });
                let announced = match self.options.looks {
                    _ if counted => Announced::Changes,
                    Looks::Always => Announced::Nothing,
                    Looks::Touched { .. } => Announced::Touches,
                };
                self.start(*process, *command, announced)?;
            }
            Step::Send(send) => return self.send_planned(plan, send),
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
                self.wait(
                    usize::MAX,
                    Until::Time,
                    Instant::now() + Duration::from_micros(*us),
                );
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
            Step::Mark { mark } => self.mark(mark),
            Step::Listen {
                process,
                name,
                since,
                acknowledge,
                deadline_us,
            } => self.listen(&Awaits {
                process: *process,
                name: name.as_ref(),
                since: since.as_ref(),
                acknowledge: *acknowledge,
                deadline_us: *deadline_us,
            }),
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
            Step::Drift(drift) => self.drift(plan, drift)?,
            Step::Sample { process } => self.sample(*process),
            Step::Verify { key, declared } => self.verify(plan, key, declared)?,
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

    /// Is the process still there to answer?
    fn is_live(&self, process: usize) -> bool {
        !self.gone && self.live(process)
    }
}

/// The approximate number of bytes that output takes in memory, once its lines are parsed as
/// messages.
pub fn weight(printed: &[u8]) -> usize {
    const LINE: usize = 250;
    printed.len() + LINE * printed.iter().filter(|byte| **byte == b'\n').count()
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
