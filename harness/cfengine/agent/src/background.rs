//! `background`: promises that a child of cf-agent keeps in parallel to the run. The run does not
//! see their results: its classes and variables stay unchanged.
//!
//! Commands really run in parallel. `files` promises are kept at once. Their output is printed
//! after the run waits for another program, or at its end.

use crate::context::{Agent, Classes, Frame, Variables};
use crate::log::Severity;
use crate::outcome::{Counts, Outcome};
use crate::process::{Done, Ended, Running};
use crate::promise::Expanded;
use crate::promise_types::Ordered;
use crate::stop::{Step, Stop};
use std::rc::Rc;
use std::thread::JoinHandle;

/// The background jobs of a run.
#[derive(Default)]
pub(crate) struct Jobs {
    waiting: Vec<Job>,
    /// The process ids of the jobs that were reported.
    ended: Vec<u32>,
    /// The number of `files` promises among the jobs.
    files: i64,
}

enum Job {
    /// A running command.
    Command(Box<Ordered>, JoinHandle<Ended>),
    /// A command that could not start, and its result.
    Unstarted(Box<Ordered>, Done),
    /// The output of a `files` promise.
    Said(String),
}

impl Job {
    fn is_done(&self) -> bool {
        match self {
            Self::Command(_, running) => running.is_finished(),
            Self::Unstarted(..) | Self::Said(_) => true,
        }
    }
}

/// The state that a child of cf-agent has for itself.
struct State {
    variables: Variables,
    classes: Classes,
    /// The classes of the entered bundles.
    local: Vec<Classes>,
    counts: Counts,
    directory: Option<String>,
    aborted: (bool, bool),
}

impl Agent {
    /// Keeps files, in the background if promised.
    pub(crate) fn keep_files_somewhere(
        &mut self,
        promise: &Rc<Expanded>,
    ) -> Step<(Outcome, Rc<Expanded>)> {
        if !promise.is_true("background") {
            return self.keep_files(promise);
        }
        let skipped = Ok((Outcome::Skipped, promise.clone()));
        if self.jobs.files >= self.voice.control.max_children {
            // cf-agent announces serial execution, but skips the promise.
            self.verbose(|| {
                "Promised parallel execution promised but exceeded the max number of promised background tasks, so serializing".into()
            });
            return skipped;
        }
        self.jobs.files += 1;
        self.verbose(|| "Spawning new process...".into());
        let done = self.done.clone();
        self.voice.log.capture();
        let kept = self.apart(|agent| agent.keep_files(promise).map(drop));
        self.verbose(|| "Exiting backgrounded promise".into());
        self.say_place(Severity::Verbose, promise);
        let said = self.voice.log.captured();
        self.done = done;
        self.jobs.waiting.push(Job::Said(said));
        match kept {
            // These only end the child.
            Ok(()) | Err(Stop::Fatal(_) | Stop::Exit(_)) => skipped,
            Err(stop) => Err(stop),
        }
    }

    /// Runs a command in parallel to the run.
    pub(crate) fn run_beside(&mut self, ordered: Ordered, started: Result<Running, Done>) {
        let ordered = Box::new(ordered);
        self.jobs.waiting.push(match started {
            Err(done) => Job::Unstarted(ordered, done),
            Ok(running) => {
                let running = std::thread::spawn(move || running.end());
                Job::Command(ordered, running)
            }
        });
    }

    /// Reports the finished jobs; at the end of a run, waits for all of them.
    pub(crate) fn hear_jobs(&mut self, waits: bool) -> Step<()> {
        // Output is captured for later, so jobs wait too.
        if self.voice.log.is_captured() {
            return Ok(());
        }
        loop {
            if waits {
                for pid in std::mem::take(&mut self.jobs.ended) {
                    self.verbose(|| format!("Background process {pid} terminated"));
                }
            }
            // Jobs are reported in the order in which they end.
            match self.jobs.waiting.iter().position(Job::is_done) {
                Some(at) => self.hear(at)?,
                None if waits && !self.jobs.waiting.is_empty() => {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
                None => return Ok(()),
            }
        }
    }

    fn hear(&mut self, at: usize) -> Step<()> {
        match self.jobs.waiting.remove(at) {
            Job::Said(said) => {
                self.voice.log.pass(&said);
                self.jobs.ended.push(std::process::id());
                Ok(())
            }
            Job::Unstarted(ordered, done) => {
                self.jobs.ended.push(std::process::id());
                self.tell_job(&ordered, |_| done)
            }
            Job::Command(ordered, running) => {
                // A thread that panicked has no output.
                let ended = running.join().unwrap_or_default();
                self.jobs.ended.push(ended.pid);
                self.tell_job(&ordered, |agent| agent.ended(ended))
            }
        }
    }

    fn tell_job(&mut self, ordered: &Ordered, done: impl FnOnce(&mut Self) -> Done) -> Step<()> {
        let level = std::mem::replace(&mut self.voice.log.level, ordered.level);
        let told = self.apart(|agent| {
            let (output, exit) = done(agent);
            agent.tell_command(ordered, &output, exit, &mut Outcome::Kept)
        });
        let line = &ordered.line;
        self.verbose(|| format!("Backgrounded command '{line}' is done - exiting"));
        self.voice.log.level = level;
        told
    }

    /// Does work that must not change the run's state.
    fn apart<T>(&mut self, work: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        let depth = self.frames.len();
        let local = self.frames.iter().filter_map(|frame| match frame {
            Frame::Bundle(frame) => Some(frame.classes.clone()),
            _ => None,
        });
        let before = State {
            variables: self.variables.clone(),
            classes: self.classes.clone(),
            local: local.collect(),
            counts: self.counts,
            directory: self.directory.clone(),
            aborted: (self.aborted, self.bundle_aborted),
        };
        let done = work(self);
        self.frames.truncate(depth);
        let bundles = self.frames.iter_mut().filter_map(|frame| match frame {
            Frame::Bundle(frame) => Some(frame),
            _ => None,
        });
        for (frame, classes) in bundles.zip(before.local) {
            frame.classes = classes;
        }
        self.variables = before.variables;
        self.classes = before.classes;
        self.counts = before.counts;
        self.directory = before.directory;
        (self.aborted, self.bundle_aborted) = before.aborted;
        done
    }
}
