//! One worker of a campaign: runs inputs, judges them, confirms and minimises what it suspects.

use super::agent::Agent;
use super::comparing::Comparing;
use super::pool::{Place, Taken};
use super::shared::Campaign;
use crate::coverage::Recorder;
use crate::dice::Dice;
use crate::engine::{Stop, Target};
use crate::input::{Input, STEPS};
use crate::judging::{Judge, Suspicion};
use crate::lane::{Driver, Ran};
use crate::mutate::{Tried, matched};
use crate::novelty::{self, MARKS, PAIRS, marks};
use crate::plan::{evaluates, sent};
use crate::space::Space;
use crate::technique::{Made, Source, Techniques};
use crate::usual::{self, Usual};
use crate::worth::{self, Mark, Room};
use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use stickler_judge::{AnySession, Level};
use stickler_reading::{Ended, Exchange};
use stickler_session::RunOptions;
use stickler_suite::{RunError, lock};
use stickler_transcript::{Event, Key, Value};

/// How many times longer a subject may take in a fresh process.
const FRESH: u32 = 4;
/// One of so many inputs that show nothing new is looked at nevertheless: its sessions are compared.
const SAMPLED: usize = 100;
/// What a subject compares is looked at after one of so many inputs, and after each that comes from comparisons.
const COMPARED: usize = 8;
/// Starting processes takes at most one part in so many of the time, apart from findings.
const STARTING: u32 = 6;
/// Running what is new a second time takes at most one part in so many.
const TWICE: u32 = 8;
/// After one part in so many of the time, what a worker suspects is confirmed beside it.
const CONFIRMING: u32 = 6;
/// How many inputs a worker keeps to change them, and how many bytes all workers.
const INPUTS: usize = 20_000;
const BYTES: usize = 128 << 20;

pub(super) struct Worker<'w> {
    number: usize,
    pub(super) campaign: &'w Campaign<'w>,
    pub(super) space: &'w Space<'w>,
    pub(super) judge: &'w Judge<'w>,
    pub(super) driver: Driver<'w>,
    /// Which inputs of others it has seen.
    imported: Taken,
    /// What it compares.
    comparing: Comparing,
    pub(super) dice: Dice,
    pub(super) agent: Agent,
    /// How long it has run inputs a second time.
    twice: Duration,
    /// How long it has confirmed what it suspected.
    confirming: Duration,
    /// Do inputs come from comparisons? What they lead to compare is of interest.
    follows: bool,
    /// Does an input of a search run of which all is wanted that it shows?
    searches: bool,
    /// Which sides of comparisons were put into which fields.
    tried: Tried,
    /// The forms of sessions that it has judged.
    usual: Usual,
    /// Inputs behind those before them, which seem to have left something behind in the process.
    behind: Vec<Input>,
    /// What made the input that runs.
    by: Techniques,
}

/// An input behind the last one before it in its process, behind the last two, and so on.
fn together(before: &[Input], input: &Input) -> Vec<Input> {
    const MOST: usize = 3;
    let all = (1..=before.len().min(MOST)).map(|count| {
        let first = &before[before.len() - count..];
        let steps = first.iter().chain([input]).flat_map(|input| &input.steps);
        Input {
            steps: steps.cloned().collect(),
            surroundings: input.surroundings.clone(),
        }
    });
    all.filter(|input| input.steps.len() <= STEPS).collect()
}

/// How many messages an input sent, in a process that lives on, and what was answered.
#[derive(Default)]
struct Sent {
    requests: usize,
    answered: usize,
    /// How many answers were to messages that may change the system.
    evaluated: usize,
}

impl Sent {
    fn of(events: &[Event]) -> Self {
        let requests = events.iter().filter_map(|event| match event {
            Event::Request(request) => Some(&request.key),
            _ => None,
        });
        let requests: Vec<&Key> = requests.collect();
        // The process lives on: it has answered.
        Sent {
            requests: requests.len(),
            answered: requests.len(),
            evaluated: requests.iter().filter(|key| evaluates(key)).count(),
        }
    }
}

/// Notes in the map what the subject told about an input. Did it tell any line?
fn note(
    campaign: &Campaign<'_>,
    space: &Space<'_>,
    recorder: &mut Recorder,
    input: &Input,
    wants: bool,
    map: &mut [u8],
) -> bool {
    // What cannot be read is as if it had not run.
    let told = recorder
        .read(&mut map[MARKS + PAIRS..], input.messages())
        .unwrap_or(false);
    if told {
        campaign.counters.covered.store(true, Ordering::Relaxed);
        if wants {
            let pairs = recorder.compared();
            let texts = input.asks().flat_map(|ask| ask.item.values());
            let texts: Vec<&[u8]> = texts.flat_map(Value::words).collect();
            for mark in novelty::compared(&pairs, &texts) {
                map[MARKS + mark] = 1;
            }
            space.dictionary.learn(pairs);
        }
    }
    told
}

impl<'w> Worker<'w> {
    pub(super) fn new(
        number: usize,
        campaign: &'w Campaign<'w>,
        (space, judge): (&'w Space<'w>, &'w Judge<'w>),
        options: (&'w RunOptions<'w>, &'w RunOptions<'w>),
        recorder: Option<Recorder>,
    ) -> Self {
        Worker {
            number,
            campaign,
            space,
            judge,
            driver: Driver::new(&campaign.setup.bench, space, options, recorder)
                .waiting(campaign.patience, campaign.patience * FRESH),
            imported: Taken::default(),
            comparing: Comparing::new(judge.rules),
            dice: Dice::new(campaign.setup.settings.seed, &format!("comparing {number}")),
            twice: Duration::ZERO,
            confirming: Duration::ZERO,
            follows: false,
            searches: false,
            tried: Tried::default(),
            usual: Usual::default(),
            behind: Vec::new(),
            by: Techniques::default(),
            agent: Agent::new(space.setting.sandboxed),
        }
    }

    /// Do its subjects tell which lines they run?
    pub(super) fn tells_lines(&self) -> bool {
        self.driver.tells_lines()
    }

    /// Runs its share of the inputs, each in a fresh process, and nothing else.
    pub(super) fn replay(&mut self, inputs: Vec<Place>, workers: usize) {
        for place in inputs.into_iter().skip(self.number).step_by(workers) {
            if self.is_over() {
                return;
            }
            let Some(input) = self.campaign.at(place) else {
                continue;
            };
            let input = &*input;
            let done = self.driver.fresh(input).and_then(|session| {
                self.count(&session);
                let mut map = vec![0; MARKS];
                for mark in marks(&session, self.space.setting.vocabulary().outcomes) {
                    map[mark] = 1;
                }
                let suspicions = self.judge.suspicions(&session);
                let is_first = |one: &Suspicion| self.campaign.known.is_unknown(&one.signature);
                let tells = suspicions.iter().any(is_first);
                // What shows a defect first stays, however usual its answers are.
                if self.campaign.counters.see(&map, self.by) || tells {
                    self.campaign.share(self.number, input, &worth::marks(&map));
                }
                self.suspect(input, suspicions, &[])
            });
            if let Err(error) = done {
                self.campaign.survive(error);
            }
        }
    }

    pub(super) fn count(&mut self, session: &AnySession) {
        let reading = session.reading();
        let answered: Vec<&Exchange> = reading
            .exchanges()
            .filter(|exchange| exchange.message.is_some())
            .collect();
        let evaluated = answered.iter().filter(|exchange| evaluates(&exchange.key));
        let (answered, evaluated) = (answered.len(), evaluated.count());
        self.counted(reading.length(), answered, evaluated);
    }

    /// Counts a session with so many messages, so many answers, and so many of those about changes.
    fn counted(&mut self, requests: usize, answered: usize, evaluated: usize) {
        let counters = &self.campaign.counters;
        let cases = counters.cases.fetch_add(1, Ordering::Relaxed) + 1;
        // Nobody else may look in time, on a busy machine.
        let limit = self.campaign.setup.limits.cases;
        if limit.is_some_and(|limit| cases >= limit) {
            self.campaign.over.store(true, Ordering::Relaxed);
        }
        for (counter, count) in [
            (&counters.requests, requests),
            (&counters.answers, answered),
            (&counters.evaluations, evaluated),
        ] {
            counter.fetch_add(count as u64, Ordering::Relaxed);
        }
        counters
            .processes
            .fetch_add(self.driver.newly_started(), Ordering::Relaxed);
    }

    /// Runs an input, and notes in the map what it showed. False if that is nothing new for sure.
    fn tried(&mut self, input: &Input, map: &mut [u8]) -> Result<bool, RunError> {
        let (judge, space, campaign) = (self.judge, self.space, self.campaign);
        let wants = self.follows || self.dice.one_in(COMPARED);
        self.driver.want_comparisons(wants);
        // Some are judged whatever they are like.
        let sampled = self.dice.one_in(SAMPLED);
        let looks = self.searches;
        let items = sent(space, input);
        let (mut told, mut form, mut brought) = (None, None, None);
        let mut known = None;
        let tells_new = Cell::new(false);
        let ran = self.driver.run(
            input,
            |seen| {
                if let Some(recorder) = seen.recorder {
                    told = Some(note(campaign, space, recorder, input, wants, map));
                }
                form = usual::form(seen.items, &items, seen.events);
                let is_usual = form.as_ref().is_some_and(|form| self.usual.knows(form));
                brought = Some(Sent::of(seen.events));
                tells_new.set(campaign.counters.would_see(map));
                is_usual && !sampled && !looks && !tells_new.get()
            },
            |session| !known.insert(judge.suspicions(session)).is_empty() || tells_new.get(),
        )?;
        let Some(Ran { session, before }) = ran else {
            let sent = brought.unwrap_or_default();
            self.counted(sent.requests, sent.answered, sent.evaluated);
            self.drive()?;
            return Ok(false);
        };
        // Nobody has asked about one that had a process of its own.
        let suspicions = known.unwrap_or_else(|| judge.suspicions(&session));
        self.count(&session);
        lock(&campaign.reached).note(space, input, &session);
        let outcomes = space.setting.vocabulary().outcomes;
        let marks = marks(&session, outcomes);
        for mark in &marks {
            map[*mark] = 1;
        }
        if told.is_none()
            && let Some(recorder) = self.driver.recorder()
        {
            note(campaign, space, recorder, input, wants, map);
        }
        let is_first = |one: &Suspicion| campaign.known.is_unknown(&one.signature);
        if suspicions.iter().any(is_first) {
            lock(&campaign.pool).guard(input);
        } else if let Some(form) = form {
            self.usual.learn(form);
        }
        self.suspect(input, suspicions, &before)?;
        // What ends the process, or hangs, would do so again and again.
        let is_sound = session
            .reading()
            .exchanges()
            .all(|exchange| !matches!(exchange.ended, Ended::Silent(_) | Ended::Exited(_)));
        if !is_sound && input.is_tame() {
            // It stays for other campaigns.
            if self.campaign.counters.see(map, self.by) {
                self.campaign.share(self.number, input, &worth::marks(map));
            }
            map.fill(0);
            self.drive()?;
            return Ok(false);
        }
        let is_tried = input.is_tame()
            && !self.is_over()
            && self.may_try_twice()
            && campaign.counters.would_see(map);
        if is_tried {
            self.twice(input, &before, &marks, map)?;
        }
        let is_new = campaign.counters.see(map, self.by);
        if is_new || sampled {
            let (space, shown) = (self.space, (input, &session, is_new));
            let chosen = self
                .comparing
                .choose((campaign, space), &mut self.dice, shown)
                .filter(|_| !self.is_over());
            if let Some((examples, relation)) = chosen {
                self.driver.rest();
                self.comparing
                    .compare((campaign, judge), (&examples, relation), self.by)?;
            }
        }
        self.drive()?;
        Ok(true)
    }

    /// What is new is also seen to its end, in a process that has done nothing else. What the subject tells only after
    /// other inputs is none of this one: it is taken out of the map, and comes with the others once more.
    fn twice(
        &mut self,
        input: &Input,
        before: &[Input],
        marks: &[usize],
        map: &mut [u8],
    ) -> Result<(), RunError> {
        let campaign = self.campaign;
        let began = Instant::now();
        self.driver.want_comparisons(true);
        let whole = self.driver.fresh_told(input)?;
        let mut told = vec![0; map.len()];
        if let Some(recorder) = self.driver.recorder() {
            note(campaign, self.space, recorder, input, true, &mut told);
            let new = campaign.counters.unseen(map).into_iter();
            let mut is_anothers = false;
            // A native program overwrites what it compared at one place.
            let first = match recorder.keeps_comparisons() {
                true => MARKS,
                false => MARKS + PAIRS,
            };
            for at in new.filter(|at| *at >= first) {
                is_anothers |= told[at] == 0;
                map[at] = map[at].min(told[at]);
            }
            if is_anothers {
                self.behind.extend(together(before, input));
            }
        }
        self.twice += began.elapsed();
        let again = novelty::marks(&whole, self.space.setting.vocabulary().outcomes);
        campaign
            .counters
            .tried_twice
            .fetch_add(1, Ordering::Relaxed);
        // The end of the session adds marks.
        if marks.iter().all(|mark| again.contains(mark)) {
            campaign.counters.same.fetch_add(1, Ordering::Relaxed);
        }
        self.suspect(input, self.judge.suspicions(&whole), &[])
    }

    /// Early in a campaign all is new; later, little is.
    fn may_try_twice(&self) -> bool {
        self.twice * TWICE < self.campaign.counters.began.elapsed()
    }

    /// How long it did other things than run inputs: what it found took that time, and not what it tried.
    fn aside(&self) -> Duration {
        self.confirming + self.comparing.took + self.agent.took
    }

    /// May a suspicion wait for the one who confirms beside the workers? What fails the run is told at once, unless
    /// there is much of it.
    fn may_leave(&self, suspicion: &Suspicion) -> bool {
        let used = self.campaign.counters.began.elapsed();
        suspicion.is_slow() || suspicion.level == Level::May || self.confirming * CONFIRMING > used
    }

    /// Confirms what an input seems to show.
    fn suspect(
        &mut self,
        input: &Input,
        suspicions: Vec<Suspicion>,
        before: &[Input],
    ) -> Result<(), RunError> {
        let campaign = self.campaign;
        for suspicion in suspicions {
            if !campaign.known.take(&suspicion)
                || self.may_leave(&suspicion)
                    && campaign.leave((input, self.by), &suspicion, before)
            {
                continue;
            }
            let began = Instant::now();
            let confirmed = campaign.confirm(
                &mut self.driver,
                (self.space, self.judge),
                (input, before, self.by),
                &suspicion,
                &|| campaign.over.load(Ordering::Relaxed),
            );
            self.confirming += began.elapsed();
            let found = matches!(confirmed, Ok(true)).then_some(suspicion.level);
            campaign.known.settle(suspicion.signature, found);
            confirmed?;
        }
        Ok(())
    }
}

impl Target for Worker<'_> {
    fn execute(&mut self, input: &Input, by: Techniques, map: &mut [u8]) -> Result<bool, Stop> {
        self.by = by;
        let (began, aside) = (Instant::now(), self.aside());
        let tried = self.tried(input, map);
        let took = began.elapsed().saturating_sub(self.aside() - aside);
        self.campaign.counters.yields.ran(by, took);
        match tried {
            Ok(may_be_new) => {
                self.campaign.held();
                Ok(may_be_new)
            }
            Err(error) => {
                self.campaign.survive(error);
                self.imported.fail();
                map.fill(0);
                Ok(false)
            }
        }
    }

    fn added(&mut self, input: &Input, by: Techniques, marks: &[Mark]) {
        self.campaign.share(self.number, input, marks);
        self.campaign.counters.yields.joined(by);
    }

    fn room(&self) -> Room {
        let workers = self.campaign.setup.settings.jobs.max(1);
        Room {
            inputs: INPUTS,
            bytes: BYTES / workers,
        }
    }

    fn matched(&mut self, input: &Input) -> Result<Vec<Made>, Stop> {
        if !self.driver.tells_comparisons() || !input.is_tame() || self.is_over() {
            return Ok(Vec::new());
        }
        // What other inputs compared is not of interest.
        self.driver.compared();
        self.driver.want_comparisons(true);
        match self.driver.run(input, |_| false, |_| false) {
            Ok(Some(ran)) => self.count(&ran.session),
            Ok(None) => {}
            Err(error) => {
                self.campaign.survive(error);
                return Ok(Vec::new());
            }
        }
        let pairs = self.driver.compared();
        self.space.dictionary.learn(pairs.clone());
        Ok(matched(input, &pairs, &mut self.tried))
    }

    fn follow(&mut self, follows: bool) {
        self.follows = follows;
    }

    fn looks(&mut self, looks: bool) {
        self.searches = looks;
    }

    fn imported(&mut self) -> Vec<Made> {
        let behind = std::mem::take(&mut self.behind).into_iter();
        let campaign = self.campaign;
        let others = campaign.found_elsewhere(self.number, &mut self.imported);
        let others = others
            .into_iter()
            .map(|input| Made::new(input, Source::Imported));
        let behind = behind.map(|input| Made::new(input, Source::Behind));
        behind.chain(others).collect()
    }

    fn is_over(&self) -> bool {
        self.campaign.over.load(Ordering::Relaxed)
    }

    fn affords_processes(&self) -> bool {
        self.driver.starting() * STARTING < self.campaign.counters.began.elapsed()
    }
}
