//! Messages and answers.

use super::play::{Playbook, Playing};
use super::{
    AFTERMATH, LAST_OUTPUT, LAST_WORDS, OPTIONAL_US, Reached, STARVED, Session, Until, WORKING,
    WORKING_LOOK, WORKING_MOST, micros,
};
use crate::SessionError;
use crate::link::{Authors, Awaited};
use crate::sandbox::ChildId;
use crate::stage::Stage;
use std::time::{Duration, Instant};
use stickler_transcript::{Answer, AtWrite, Bytes, Event, Input, Key, Plan, Send, Silence, Stream};

/// The shortest time that the harness sleeps: timers are coarse.
const SLEEP: Duration = Duration::from_millis(1);
/// How often the harness yields the CPU to a subject that has not answered yet.
const YIELDS: usize = 3;

impl Session<'_> {
    /// Sends what a planned message stands for.
    pub(super) fn send_planned(&mut self, plan: &Plan, send: &Send) -> Result<bool, SessionError> {
        let (wire, plays) = (self.wire, self.answers.is_some());
        let is_refused = |required: &Key| !self.accepted.contains(required);
        let is_omitted = send.requires.as_ref().is_some_and(is_refused);
        if !is_omitted && !plays {
            return self.transmit(send);
        }
        let mut stage = Playing {
            session: self,
            plan: Playbook::Stays(plan),
        };
        match is_omitted {
            true => {
                stage.omit(&send.key);
                Ok(true)
            }
            false => wire.play(send, &mut stage),
        }
    }

    /// Sends a message, and waits for its answer unless that is not due yet.
    pub(super) fn transmit(&mut self, send: &Send) -> Result<bool, SessionError> {
        let process = send.process;
        if !self.live(process) {
            return Ok(false);
        }
        // Between two consecutive messages there is no time for unasked output. If some comes
        // anyway, it counts as output before the answer.
        if std::mem::take(&mut self.idle)
            || self.link(process).is_some_and(|l| !l.incoming.is_empty())
        {
            self.stray(process);
            if !self.live(process) {
                return Ok(false);
            }
        }
        self.exchanges += 1;
        let t = self.now();
        self.events.push(Event::Request(Input {
            t,
            process,
            exchange: self.exchanges,
            phase: send.phase,
            key: send.key.clone(),
            item: send.item.clone(),
            provenance: send.provenance,
            owed: send.answer != Answer::Optional,
        }));
        self.bury(process);
        let size: usize = send.pieces.iter().map(|piece| piece.data.len()).sum();
        // An answer may repeat the request in a longer encoding.
        let usual = self.options.limits.output + 8 * size as u64;
        let limit = self.wire.limit(send.phase, usual);
        if let Some(link) = self.link_mut(process) {
            link.begin(limit);
            if let Some(watched) = &mut link.watched {
                watched.writes = 0;
                watched.plan = send.at_write.unwrap_or(AtWrite::Count);
                watched.failed = None;
                watched.call = None;
                watched.changed.clear();
            }
        }
        let awaited = Awaited {
            key: send.key.clone(),
            phase: send.phase,
            // Large messages get more time: one second for each 256 KiB.
            deadline_us: send.deadline_us + (size as u64 >> 18) * 1_000_000,
            owed: send.answer != Answer::Optional,
        };
        let mut t = t;
        for (number, piece) in send.pieces.iter().enumerate() {
            if piece.pause_us > 0 {
                self.pause(process, Duration::from_micros(piece.pause_us));
            }
            // The first piece is sent at the time of the request event.
            if number > 0 || piece.pause_us > 0 {
                t = self.now();
            }
            if !self.write(process, &piece.data, t, self.patience(awaited.deadline_us)) {
                break;
            }
        }
        if let Some(link) = self.link_mut(process) {
            link.awaited = Some(awaited.clone());
        }
        if send.answer == Answer::Later {
            return Ok(true);
        }
        let answered = self.answer(process, &awaited, send.kill_after_us);
        if send.at_write.is_some() {
            self.count_writes(process);
        }
        Ok(answered)
    }

    /// Lets the subject read a piece of a message before the next one is written.
    fn pause(&mut self, process: usize, time: Duration) {
        let end = Instant::now() + time;
        if time >= SLEEP {
            self.wait(process, Until::Message, end);
            return;
        }
        while Instant::now() < end && !self.whole_message(process) && !self.gone {
            rustix::thread::sched_yield();
            self.turn(Duration::ZERO);
        }
    }

    /// Records how many calls that change files were made since the last message.
    fn count_writes(&mut self, process: usize) {
        let t = self.now();
        if let Some(link) = self.link_mut(process)
            && let Some(watched) = &mut link.watched
        {
            watched.plan = AtWrite::Count;
            let (count, failed) = (watched.writes, watched.failed);
            let call = watched.call.take();
            let changed = std::mem::take(&mut watched.changed);
            let by = |wanted: fn(&Authors) -> bool| {
                let paths = changed.iter().filter(|(_, authors)| wanted(authors));
                paths.map(|(path, _)| Bytes::from(&path[..])).collect()
            };
            self.events.push(Event::Writes {
                t,
                process,
                count,
                failed,
                call,
                foreign: by(|who| who.stand_in && !who.itself && !who.other),
                own: by(|who| who.itself && !who.stand_in && !who.other),
            });
        }
    }

    /// Reads what the subject printed without a request, before the next message is sent.
    pub(super) fn stray(&mut self, process: usize) {
        self.receive(process);
        let stray = if self.framing.notification.is_some() {
            // An incomplete message may still become a notification.
            self.whole_message(process)
        } else {
            self.link(process)
                .is_some_and(|link| !link.incoming.is_empty())
        };
        if stray && self.exchanges > 0 {
            self.fail(process);
        }
    }

    /// Waits for an answer. Returns whether the session with this process can continue.
    pub(super) fn answer(
        &mut self,
        process: usize,
        awaited: &Awaited,
        kill_after: Option<u64>,
    ) -> bool {
        let patience = if awaited.owed {
            self.patience(awaited.deadline_us)
        } else {
            Duration::from_micros(OPTIONAL_US)
        };
        let (wait, killing) = match kill_after {
            Some(us) if Duration::from_micros(us) < patience => (Duration::from_micros(us), true),
            _ => (patience, false),
        };
        let (reached, waited) = if self.is_answered_at_once(process) {
            (Reached::Message, Duration::ZERO)
        } else {
            let started = Instant::now();
            let mut reached = self.wait(process, Until::Message, started + wait);
            if reached == Reached::Time && awaited.owed && !killing {
                reached = self.wait_while_it_works(process, started, wait);
            }
            (reached, started.elapsed())
        };
        if killing {
            self.kill(process);
            self.let_orphans_end();
            return false;
        }
        match reached {
            Reached::Message => {
                let wire = self.wire;
                let keeps = self.answers.is_some();
                let (accepted, answer) = {
                    let Some(link) = self.link_mut(process) else {
                        return false;
                    };
                    link.awaited = None;
                    let end = link.end.unwrap_or(link.incoming.len());
                    let accepted = wire.accepts(awaited.phase, &link.incoming[..end]);
                    let answer = keeps.then(|| link.incoming[..end].to_vec());
                    link.forget(end);
                    (accepted, answer)
                };
                if let (Some(answers), Some(answer)) = (&mut self.answers, answer) {
                    answers.insert(awaited.key.clone(), answer);
                }
                // A later rejection of the same request revokes an earlier acceptance.
                if !accepted {
                    self.accepted.remove(&awaited.key);
                } else if !self.accepted.contains(&awaited.key) {
                    self.accepted.insert(awaited.key.clone());
                }
                true
            }
            Reached::Time | Reached::Reading if !awaited.owed => {
                if let Some(link) = self.link_mut(process) {
                    link.awaited = None;
                    // The output is no complete message; the next message starts afresh.
                    link.forget(link.incoming.len());
                }
                true
            }
            Reached::End => {
                self.await_death(process);
                self.fail(process);
                false
            }
            Reached::Time | Reached::Reading => {
                let why = match reached {
                    Reached::Reading => Silence::Input,
                    _ => Silence::Deadline,
                };
                self.silent(process, why, waited);
                self.close_input(process);
                self.wait(process, Until::Message, Instant::now() + LAST_WORDS);
                self.kill(process);
                false
            }
            Reached::Limit(why) => {
                self.overdone(process, why, waited);
                false
            }
        }
    }

    /// The deadline is over. Waits longer if the machine is busy, and as long as the subject uses
    /// a processor or waits for one: a start or a first request may take long.
    fn wait_while_it_works(&mut self, process: usize, started: Instant, wait: Duration) -> Reached {
        if self.sandbox.is_starved() {
            return self.wait(process, Until::Message, started + wait * STARVED);
        }
        let most = match self.options.brisk {
            true => wait * 3 / 2,
            false => wait * WORKING,
        };
        let end = started + most.min(WORKING_MOST);
        loop {
            let before = self.sandbox.working_time();
            let now = Instant::now();
            if now >= end {
                return Reached::Time;
            }
            let reached = self.wait(process, Until::Message, now + WORKING_LOOK);
            let worked = self.sandbox.working_time().saturating_sub(before);
            if reached != Reached::Time || worked < WORKING_LOOK / 4 {
                return reached;
            }
        }
    }

    /// A quick answer is there when the subject yields the CPU, usually right after it was written
    /// to, so that the harness need not sleep. The scheduler does not always run the subject at the
    /// first yield.
    fn is_answered_at_once(&mut self, process: usize) -> bool {
        if !self.shares_cpu {
            return false;
        }
        for _ in 0..YIELDS {
            self.receive(process);
            if self.whole_message(process) {
                return true;
            }
            rustix::thread::sched_yield();
        }
        false
    }

    pub(super) fn silent(&mut self, process: usize, why: Silence, waited: Duration) {
        let t = self.now();
        self.events.push(Event::Silent {
            t,
            process,
            why,
            waited_us: micros(waited),
        });
    }

    /// The process exceeded a limit, so it is killed.
    fn overdone(&mut self, process: usize, why: Silence, waited: Duration) {
        // The watchdog has already recorded limits of all processes together.
        if why == Silence::Flood {
            self.silent(process, why, waited);
        }
        self.kill(process);
    }

    /// Standard output ended; waits shortly for the exit status.
    pub(super) fn await_death(&mut self, process: usize) {
        self.wait(process, Until::Exit, Instant::now() + AFTERMATH);
    }

    pub(super) fn fail(&mut self, process: usize) {
        if let Some(link) = self.link_mut(process) {
            link.failed = true;
        }
    }

    pub(super) fn close_input(&mut self, process: usize) {
        let t = self.now();
        if let Some(link) = self.link_mut(process)
            && link.stdin.take().is_some()
        {
            link.outgoing = Bytes::default();
            link.limit = link.limit.min(link.received + LAST_OUTPUT);
            self.events.push(Event::Closed {
                t,
                process,
                stream: Stream::Stdin,
                by_harness: true,
            });
        }
    }

    pub(super) fn await_exit(&mut self, process: usize, deadline_us: u64) -> bool {
        self.bury(process);
        if self.link(process).is_none_or(|link| link.exit.is_some()) {
            return true;
        }
        let started = Instant::now();
        if self.options.lingers {
            self.await_death(process);
            let ended = self.ended(process, Until::Exit);
            self.kill(process);
            return ended;
        }
        let reached = self.wait(process, Until::Exit, started + self.patience(deadline_us));
        match reached {
            Reached::End | Reached::Message => true,
            Reached::Time | Reached::Reading => {
                self.silent(process, Silence::Deadline, started.elapsed());
                self.kill(process);
                false
            }
            Reached::Limit(why) => {
                self.overdone(process, why, started.elapsed());
                false
            }
        }
    }

    pub(super) fn kill(&mut self, process: usize) {
        let Some(id) = self.killed(process) else {
            return;
        };
        self.sandbox.kill_child(id);
        self.wait(
            process,
            Until::Exit,
            Instant::now() + Duration::from_secs(2),
        );
    }

    /// Records that a process is killed; `None` if there is no process to kill.
    pub(super) fn killed(&mut self, process: usize) -> Option<ChildId> {
        let t = self.now();
        let link = self.link_mut(process)?;
        link.failed = true;
        link.outgoing = Bytes::default();
        if link.exit.is_some() {
            return None;
        }
        let Some(id) = link.child else {
            self.bury(process);
            return None;
        };
        self.events.push(Event::Killed { t, process });
        Some(id)
    }

    /// Processes that a killed process had started run on for a moment. If a second process met
    /// them, the case would test something else.
    fn let_orphans_end(&self) {
        const MOMENT: Duration = Duration::from_millis(250);
        let alive = self
            .links
            .iter()
            .flatten()
            .filter(|link| link.exit.is_none());
        let own = alive.count() + self.services.len() + self.helpers.len();
        let end = Instant::now() + MOMENT;
        while self.sandbox.tree_usage(own).0 > own && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
