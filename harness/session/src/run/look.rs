//! Effects, samples, and what is left at the end.

use super::{AFTERMATH, Session};
use crate::SessionError;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stickler_transcript::{Change, Drift, Event, Plan};

/// How many changes an observation records at most.
const CHANGES_KEPT: usize = 2_000;

/// With this many processes, they may be a fork bomb.
const CROWD: usize = 16;

/// Removes contents beyond a limit from changes, but keeps their digests. Returns the approximate
/// size of the changes, in bytes.
fn shorten(changes: &mut [Change], mut contents: u64) -> u64 {
    let mut size = 0;
    for change in changes {
        size += (size_of::<Change>() + change.path.len()) as u64;
        for entry in [&mut change.after, &mut change.before]
            .into_iter()
            .flatten()
        {
            let Some(content) = &entry.content else {
                continue;
            };
            let length = content.len() as u64;
            if length > contents {
                entry.content = None;
            } else {
                contents -= length;
                size += length;
            }
        }
    }
    size
}

impl Session<'_> {
    pub(super) fn observe(&mut self, point: &str) -> Result<(), SessionError> {
        if !self.touched.is_so() && self.observed.is_some() {
            let t = self.now();
            self.events.push(Event::Effects {
                t,
                point: point.to_owned(),
                changes: Vec::new(),
                truncated: false,
            });
            return Ok(());
        }
        // What happens while files are looked at is seen the next time.
        self.touched.looked(&self.sandbox);
        let snapshot = self.sandbox.snapshot()?;
        let (mut changes, truncated) = match &self.observed {
            Some(earlier) => snapshot.diff_up_to(earlier, CHANGES_KEPT),
            None => (Vec::new(), false),
        };
        self.recorded += shorten(&mut changes, self.options.limits.contents);
        let t = self.now();
        self.events.push(Event::Effects {
            t,
            point: point.to_owned(),
            changes,
            truncated,
        });
        self.observed = Some(Arc::new(snapshot));
        Ok(())
    }

    /// Changes something from outside.
    ///
    /// # Errors
    /// If a command fails: then what the author says of it is not so.
    pub(super) fn drift(&mut self, plan: &Plan, drift: &Drift) -> Result<(), SessionError> {
        let done = match drift {
            Drift::Command {
                command,
                deadline_us,
                may_fail,
                ..
            } => {
                let before = self.is_alone();
                let failed = match self.run_helper(plan, *command, *deadline_us) {
                    Err(SessionError::Command { why, .. }) if *may_fail => Some(why),
                    done => {
                        done?;
                        None
                    }
                };
                let alone = before && self.is_alone();
                self.drifted(drift, failed, alone);
                return Ok(());
            }
            Drift::Write { path, content } => self.sandbox.write_file(path, content),
            Drift::Mode { path, mode } => self.sandbox.chmod(path, *mode),
            Drift::Owner { path, uid, gid } => self.sandbox.chown(path, *uid, *gid),
            Drift::Link { path, target } => self.sandbox.symlink(path, target),
            Drift::Directory { path } => self.sandbox.mkdir(path),
            Drift::Remove { path } => self.sandbox.remove(path),
        };
        self.drifted(drift, done.err().map(|error| error.to_string()), false);
        Ok(())
    }

    /// Is no process in the sandbox but those that the plan started for the subject?
    fn is_alone(&self) -> bool {
        let own = self.links.iter().flatten();
        let own = own.filter(|link| link.child.is_some() && link.exit.is_none());
        self.sandbox.processes().len() <= own.count()
    }

    fn drifted(&mut self, drift: &Drift, failed: Option<String>, alone: bool) {
        let t = self.now();
        self.events.push(Event::Drifted {
            t,
            drift: Box::new(drift.clone()),
            failed,
            alone,
        });
    }

    pub(super) fn sample(&mut self, process: usize) {
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

    pub(super) fn close(&mut self, complete: bool) -> Result<(), SessionError> {
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
        Ok(())
    }

    /// After a short grace period, notes processes that outlive the subject.
    pub(super) fn left(&mut self) {
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
        if left.len() > CROWD {
            self.sandbox.kill_processes();
        }
        for process in 0..self.links.len() {
            self.receive(process);
        }
        let t = self.now();
        self.events.push(Event::Left {
            t,
            holds_stdout: self
                .links
                .iter()
                .flatten()
                .any(|link| link.stdout.is_some()),
            holds_stdin: left.iter().any(|process| process.holds_stdin),
            processes: left
                .iter()
                .take(16)
                .map(|process| process.command_line.clone())
                .collect(),
        });
    }
}
