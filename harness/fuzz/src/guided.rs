//! Sessions that another fuzzer guides, such as `libFuzzer`: it makes bytes, which choose what a
//! session does, and gets a map of what the session showed.

use crate::confirm::{DOUBTS, confirm};
use crate::coverage::{Coverage, LINES};
use crate::dice::Dice;
use crate::dictionary::Dictionary;
use crate::finding::{Finding, Signature};
use crate::input::Input;
use crate::judging::Judge;
use crate::lane::{Driver, Ran};
use crate::mutate::{Means, Weights, mutate, tame};
use crate::novelty::{MARKS, marks, see};
use crate::secrets::Secrets;
use crate::space::{Space, untestable};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use stickler_judge::{Level, Presumed, Rule, judge};
use stickler_session::sandbox::Host;
use stickler_session::{CpuLease, RunOptions};
use stickler_suite::config::Config;
use stickler_suite::{Bench, Dialect, Quiet, RunError, RunSettings, Setting, expectations, learn};
use stickler_transcript::Bytes;

/// The length of the map.
pub const MAP: usize = MARKS + LINES;
/// How often bytes change an input, at most: an item with too many changes is only ever refused.
const CHANGES: usize = 4;

/// Nobody ends the first sessions.
static STOP: AtomicBool = AtomicBool::new(false);

/// The subject of guided sessions.
pub struct Guide {
    /// How to talk to it.
    pub dialect: Box<dyn Dialect>,
    /// What the sandboxes on this machine can do.
    pub host: Host,
    /// Its description.
    pub config: Config,
    /// Its command line.
    pub argv: Vec<Bytes>,
    /// How its first sessions run.
    pub settings: RunSettings,
    /// Source text of it, for words that it knows.
    pub sources: Vec<Vec<u8>>,
    /// Has it tell which lines it runs.
    pub coverage: Option<Coverage>,
}

/// Guided sessions.
pub struct Guided {
    space: &'static Space<'static>,
    judge: Judge<'static>,
    driver: Driver<'static>,
    seeds: Vec<Input>,
    /// Which marks were seen.
    seen: Vec<u8>,
    /// How often suspicions did not show again.
    doubts: BTreeMap<Signature, u32>,
    began: Instant,
    cases: u64,
}

/// The input that bytes choose: one of those with which a campaign begins, and changes of it. No
/// bytes choose the first, as it is.
pub(crate) fn chosen(space: &Space<'_>, seeds: &[Input], bytes: &[u8]) -> Input {
    let mut dice = Dice::taken(bytes);
    let mut input = dice.pick(seeds).cloned().unwrap_or_default();
    let weights = Weights::usual();
    // What needs a process of its own takes many times as long.
    let (is_wild, is_elsewhere) = (dice.one_in(8), dice.one_in(4));
    for _ in 0..1 + dice.below(CHANGES) {
        if dice.is_spent() {
            break;
        }
        let other = dice.pick(seeds);
        let dice = &mut dice;
        mutate(
            &mut Means { space, dice, other },
            &mut input,
            &weights,
            true,
        );
    }
    if !is_wild {
        tame(&mut input);
    }
    if !is_elsewhere {
        input.surroundings.clear();
    }
    input
}

impl Guided {
    /// Holds the first sessions, which show what the subject can do. The subject is kept in memory
    /// as long as the program runs, since the fuzzer that guides has the main loop.
    ///
    /// # Errors
    /// If no session can start, or if the subject cannot be tested.
    pub fn open(guide: Guide) -> Result<Self, RunError> {
        let Guide {
            dialect,
            host,
            config,
            argv,
            settings,
            sources,
            coverage,
        } = &*Box::leak(Box::new(guide));
        let bench = &*Box::leak(Box::new(Bench {
            dialect: &**dialect,
            host,
            config,
            argv,
        }));
        let learned = learn(bench, settings, &Quiet(&STOP))?;
        let known = Box::leak(Box::new(learned.known));
        if let Some(why) = untestable(dialect.vocabulary(), config, &known.common) {
            return Err(RunError::Subject(why));
        }
        let setting = Box::leak(Box::new(Setting {
            speech: settings.speech,
            seed: settings.seed,
            ..bench.setting(known)
        }));
        let space = &*Box::leak(Box::new(Space::new(
            setting,
            Dictionary::of(sources),
            None,
            Secrets::default(),
        )));
        let rules: &[&Rule] = Box::leak(dialect.rules().into_boxed_slice());
        let presumed = Presumed::of(rules, &judge(rules, &learned.sessions), &learned.sessions);
        let recorder = coverage.as_ref().map(|coverage| coverage.recorder(0));
        let recorder = recorder
            .transpose()
            .map_err(|error| RunError::Subject(format!("no coverage: {error}")))?;
        let lease = Box::leak(Box::new(CpuLease::take()));
        let options = Box::leak(Box::new(RunOptions {
            cpu: lease.as_ref().map(CpuLease::cpu),
            ..RunOptions::default()
        }));
        Ok(Guided {
            space,
            judge: Judge {
                rules,
                expectations: Box::leak(Box::new(expectations(config))),
                presumed: Box::leak(Box::new(presumed)),
            },
            driver: Driver::new(bench, space, (options, options), recorder),
            seeds: space.seeds(),
            seen: vec![0; MAP],
            doubts: BTreeMap::new(),
            began: Instant::now(),
            cases: 0,
        })
    }

    /// Runs the input that bytes choose, and marks in the map, which has [`MAP`] bytes, what it
    /// showed. Returns a defect of level `must` that is confirmed in fresh processes.
    ///
    /// # Errors
    /// If no session can start.
    pub fn run(&mut self, bytes: &[u8], map: &mut [u8]) -> Result<Option<Finding>, RunError> {
        let input = chosen(self.space, &self.seeds, bytes);
        self.cases += 1;
        let judge = &self.judge;
        let mut suspicions = Vec::new();
        let ran = self.driver.run(
            &input,
            |_| false,
            |session| {
                suspicions = judge.suspicions(session);
                suspicions.iter().any(|one| one.level == Level::Must)
            },
        )?;
        let Some(Ran { session, before }) = ran else {
            return Ok(None);
        };
        let (answers, lines) = map.split_at_mut(MARKS.min(map.len()));
        for mark in marks(&session, self.space.setting.vocabulary().outcomes) {
            answers[mark] = 1;
        }
        if let Some(recorder) = self.driver.recorder() {
            // What cannot be read is as if it had not run.
            let _ = recorder.read(lines, input.messages());
        }
        if see(&mut self.seen, map, |_| ()) && input.is_tame() && suspicions.is_empty() {
            // What is new is also seen to its end.
            suspicions = self.judge.suspicions(&self.driver.fresh(&input)?);
        }
        for suspicion in suspicions {
            if suspicion.level == Level::Must
                && let Some(finding) = self.confirm(&input, &before, &suspicion.signature)?
            {
                return Ok(Some(finding));
            }
        }
        Ok(None)
    }

    fn confirm(
        &mut self,
        input: &Input,
        before: &[Input],
        signature: &Signature,
    ) -> Result<Option<Finding>, RunError> {
        let (at, cases) = (self.began.elapsed(), self.cases);
        if self
            .doubts
            .get(signature)
            .is_some_and(|doubts| *doubts >= DOUBTS)
        {
            return Ok(None);
        }
        let confirmed = confirm(
            &mut self.driver,
            &self.judge,
            self.space,
            (input, before),
            signature,
            &|| false,
        )?;
        let finding = confirmed.and_then(|confirmed| confirmed.finding(&self.judge, at, cases));
        if finding.is_none() {
            *self.doubts.entry(signature.clone()).or_default() += 1;
        }
        Ok(finding)
    }
}
