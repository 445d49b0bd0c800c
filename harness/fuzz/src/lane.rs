//! Runs inputs: in processes that live on from input to input, or in fresh ones.

use crate::coverage::Recorder;
use crate::driven::Programme;
use crate::input::{Input, Surrounding};
use crate::plan::{Prepared, id, plan, prepared_by};
use crate::space::Space;
use std::collections::HashSet;
use std::time::{Duration, Instant};
use stickler_judge::AnySession;
use stickler_session::sandbox::Tier;
use stickler_session::{RunOptions, Stepwise};
use stickler_suite::{Bench, RunError, undo};
use stickler_transcript::{Case, Change, ChangeKind, Deadlines, Drift, Event, Item, Step};

/// How many lanes one worker keeps: one for each way to prepare the sandbox.
const LANES: usize = 12;
/// After so many inputs a process is replaced, so that what led to a defect stays short.
const INPUTS: usize = 400;

/// The same after so many bytes of inputs: a few large ones would take more memory than many small ones.
const BYTES: usize = 4 << 20;

/// A process that takes one input after the other.
struct Lane<'r> {
    /// What its inputs have in common.
    by: (Vec<Surrounding>, Vec<String>),
    prepared: Prepared<'r>,
    session: Stepwise<'r>,
    /// What it took so far.
    inputs: Vec<Input>,
    /// How many bytes these have.
    bytes: usize,
}

/// Runs inputs for one worker.
pub struct Driver<'r> {
    bench: &'r Bench<'r>,
    space: &'r Space<'r>,
    /// How a process runs that takes one input after the other, and how others do.
    options: (&'r RunOptions<'r>, &'r RunOptions<'r>),
    lanes: Vec<Lane<'r>>,
    /// Has the subject tell which lines it runs, except in fresh processes that confirm.
    recorder: Option<Recorder>,
    /// How many processes were started since the last count.
    started: u64,
    /// How long starts, whole sessions and pauses took.
    starting: Duration,
    /// How long a subject may take for one message in a process that lives on, and in a fresh one.
    patience: (Duration, Duration),
}

/// A session, and the inputs that its process had taken before.
pub struct Ran {
    /// What came of the input.
    pub session: AnySession,
    /// The inputs before it in the same process.
    pub before: Vec<Input>,
}

/// What an input brought about in a process that lives on.
pub(crate) struct Brought<'b> {
    /// The items, in the order in which messages were first about them.
    pub items: &'b [Item],
    /// What happened.
    pub events: &'b [Event],
    /// What the subject tells, if it does.
    pub recorder: Option<&'b mut Recorder>,
}

impl<'r> Driver<'r> {
    /// A driver without processes.
    pub fn new(
        bench: &'r Bench<'r>,
        space: &'r Space<'r>,
        options: (&'r RunOptions<'r>, &'r RunOptions<'r>),
        recorder: Option<Recorder>,
    ) -> Self {
        Driver {
            bench,
            space,
            options,
            lanes: Vec::new(),
            recorder,
            started: 0,
            starting: Duration::ZERO,
            patience: (Duration::MAX, Duration::MAX),
        }
    }

    /// The same, which waits no longer than this for one message: in a process that lives on, and in a fresh one.
    #[must_use]
    pub fn waiting(mut self, shared: Duration, fresh: Duration) -> Self {
        self.patience = (shared, fresh);
        self
    }

    /// How many processes were started since the last call.
    pub fn newly_started(&mut self) -> u64 {
        std::mem::take(&mut self.started)
    }

    /// How long it took to start processes, to run the inputs that need one for themselves, and to
    /// wait where inputs say so.
    pub fn starting(&self) -> Duration {
        self.starting
    }

    /// Runs an input in a process that may have taken others before. `passes`: is what came of it known, so that
    /// nobody needs to read it? Then there is no result. `keeps_before`: is the list of the others wanted?
    ///
    /// # Errors
    /// If no session can start, or if the user ends the campaign.
    pub(crate) fn run(
        &mut self,
        input: &Input,
        passes: impl FnOnce(Brought<'_>) -> bool,
        keeps_before: impl FnOnce(&AnySession) -> bool,
    ) -> Result<Option<Ran>, RunError> {
        if let Some(recorder) = &mut self.recorder {
            // Without it, lines of the last input would count again.
            let _ = recorder.reset();
        }
        if !input.is_tame() {
            let mut case = plan(self.space, input);
            if let Some(recorder) = &self.recorder {
                recorder.instrument(&mut case);
            }
            let session = self.whole(case, self.patience.0)?;
            return Ok(Some(Ran {
                session,
                before: Vec::new(),
            }));
        }
        self.starting += input.pauses();
        let mut lane = self.lane(input)?;
        lane.prepared.write(self.space, input);
        for step in lane.prepared.steps() {
            let mut step = step.clone();
            limit(&mut step, self.patience.0, lane.session.deadlines());
            if !lane.session.step(step)? {
                break;
            }
        }
        let case = |prepared: &Prepared<'_>| Case {
            id: id(input),
            ..prepared.so_far()
        };
        if !lane.session.is_live(0) {
            let case = case(&lane.prepared);
            let session = self.bench.dialect.read(lane.session.close_as(case)?);
            let before = if keeps_before(&session) {
                lane.inputs
            } else {
                Vec::new()
            };
            return Ok(Some(Ran { session, before }));
        }
        // What the opening changed stays, for all inputs of the process.
        let own = lane.session.events().get(lane.session.opening()..);
        let own = own.unwrap_or_default();
        let undone = undone(own);
        let brought = Brought {
            items: lane.prepared.items(),
            events: own,
            recorder: self.recorder.as_mut(),
        };
        let ran = if passes(brought) {
            lane.session.forget();
            None
        } else {
            let case = case(&lane.prepared);
            let session = self.bench.dialect.read(lane.session.drain(case));
            let before = if keeps_before(&session) {
                lane.inputs.clone()
            } else {
                Vec::new()
            };
            Some(Ran { session, before })
        };
        lane.inputs.push(input.clone());
        lane.bytes += input.bytes();
        if let Some(undone) = undone
            && lane.inputs.len() < INPUTS
            && lane.bytes < BYTES
            && restore(&mut lane, undone)?
        {
            self.lanes.insert(0, lane);
        }
        Ok(ran)
    }

    /// Do the subjects tell which lines they run?
    pub fn tells_lines(&self) -> bool {
        self.recorder.is_some()
    }

    /// Do they tell what they compare?
    pub fn tells_comparisons(&self) -> bool {
        let recorder = self.recorder.as_ref();
        recorder.is_some_and(Recorder::tells_comparisons)
    }

    /// What reads what the subjects tell, if they do.
    pub(crate) fn recorder(&mut self) -> Option<&mut Recorder> {
        self.recorder.as_mut()
    }

    /// Is the subject to tell what the next input has it compare?
    pub fn want_comparisons(&mut self, wants: bool) {
        if let Some(recorder) = &mut self.recorder {
            recorder.want(wants);
        }
    }

    /// What the subject compared since the last call, if it tells.
    pub fn compared(&mut self) -> Vec<[Vec<u8>; 2]> {
        let recorder = self.recorder.as_mut();
        recorder.map_or_else(Vec::new, Recorder::compared)
    }

    /// A process that is prepared for an input.
    fn lane(&mut self, input: &Input) -> Result<Lane<'r>, RunError> {
        let by = prepared_by(input);
        if let Some(at) = self.lanes.iter().position(|lane| lane.by == by) {
            return Ok(self.lanes.remove(at));
        }
        self.lanes.truncate(LANES - 1);
        self.rest();
        let prepared = Prepared::of(self.space, input);
        let mut begun = prepared.so_far();
        if let Some(recorder) = &self.recorder {
            recorder.instrument(&mut begun);
        }
        self.started += 1;
        let began = Instant::now();
        let wire = self.bench.dialect.wire();
        let mut session = Stepwise::open(self.bench.host, begun, wire, self.options.0)?;
        session.mark();
        self.starting += began.elapsed();
        Ok(Lane {
            by,
            prepared,
            session,
            inputs: Vec::new(),
            bytes: 0,
        })
    }

    /// Runs an input from start to end in a fresh process.
    ///
    /// # Errors
    /// As [`Driver::run`].
    pub fn fresh(&mut self, input: &Input) -> Result<AnySession, RunError> {
        let case = plan(self.space, input);
        self.whole(case, self.patience.1)
    }

    /// The same, in which the subject tells the same as in a process that lives on.
    ///
    /// # Errors
    /// As [`Driver::run`].
    pub(crate) fn fresh_told(&mut self, input: &Input) -> Result<AnySession, RunError> {
        let mut case = plan(self.space, input);
        if let Some(recorder) = &mut self.recorder {
            // Without it, lines of the last input would count again.
            let _ = recorder.reset();
            recorder.instrument(&mut case);
        }
        self.whole(case, self.patience.1)
    }

    /// The same, with no more time than in a process that lives on.
    ///
    /// # Errors
    /// As [`Driver::run`].
    pub fn brief(&mut self, input: &Input) -> Result<AnySession, RunError> {
        let case = plan(self.space, input);
        self.whole(case, self.patience.0)
    }

    /// Has the dialect's agent drive a session.
    ///
    /// # Errors
    /// As [`Driver::run`].
    pub fn driven(&mut self, programme: &Programme) -> Result<Option<AnySession>, RunError> {
        self.rest();
        self.started += 1;
        programme.run(self.bench, self.space, self.options.1)
    }

    /// Ends the processes that live on if sandboxes share a directory: another session would wait for
    /// it.
    pub fn rest(&mut self) {
        if self.bench.host.tier() != Tier::Overlay {
            self.lanes.clear();
        }
    }

    fn whole(&mut self, mut case: Case, patience: Duration) -> Result<AnySession, RunError> {
        for step in case.plan.iter_mut().flat_map(|plan| &mut plan.steps) {
            limit(step, patience, &case.deadlines);
        }
        self.rest();
        self.started += 1;
        let began = Instant::now();
        let wire = self.bench.dialect.wire();
        let held = stickler_session::run(self.bench.host, case, wire, self.options.1)?;
        let session = self.bench.dialect.read(held);
        self.starting += began.elapsed();
        Ok(session)
    }
}

/// Bounds the time for the answer to a message, unless the message asks for a wait of its own.
fn limit(step: &mut Step, patience: Duration, deadlines: &Deadlines) {
    if let Step::Send(send) = step
        && send.deadline_us <= deadlines.of(send.phase)
    {
        let most = u64::try_from(patience.as_micros()).unwrap_or(u64::MAX);
        send.deadline_us = send.deadline_us.min(most);
    }
}

/// How to take back what an input changed.
struct Undone {
    /// The steps, those for the last change first.
    drifts: Vec<Drift>,
    /// Did it only make what was not there?
    made: bool,
}

/// How to take back what an input changed. `None` if it cannot be taken back.
fn undone(events: &[Event]) -> Option<Undone> {
    let mut made = HashSet::new();
    let mut undone = Undone {
        drifts: Vec::new(),
        made: true,
    };
    for event in events {
        let Event::Effects {
            changes, truncated, ..
        } = event
        else {
            continue;
        };
        if *truncated {
            return None;
        }
        for change in changes {
            match change.kind {
                ChangeKind::Created => {
                    made.insert(&change.path);
                }
                _ => undone.made &= made.contains(&change.path),
            }
        }
        // The same bytes in a new file are the same state.
        let is_same = |change: &Change| change.kind == ChangeKind::Rewritten;
        if !changes.iter().all(is_same) {
            let earlier = std::mem::replace(&mut undone.drifts, undo(changes)?);
            undone.drifts.extend(earlier);
        }
    }
    Some(undone)
}

/// Takes changes back. False if that fails.
fn restore(lane: &mut Lane<'_>, undone: Undone) -> Result<bool, RunError> {
    if undone.drifts.is_empty() && undone.made {
        return Ok(true);
    }
    for drift in undone.drifts {
        lane.session.step(Step::Drift(drift))?;
    }
    lane.session.restored(undone.made)?;
    let failed = |event: &Event| {
        matches!(
            event,
            Event::Drifted {
                failed: Some(_),
                ..
            }
        )
    };
    let done = !lane.session.events().iter().any(failed);
    lane.session.forget();
    Ok(done)
}
