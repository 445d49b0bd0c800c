//! What a session will take, from what earlier sessions took.

use crate::dialect::Planned;
use crate::setting::Setting;
use crate::vocabulary::{Pace, Vocabulary};
use std::collections::HashMap;
use stickler_judge::AnySession;
use stickler_session::OPTIONAL_US;
use stickler_transcript::{Answer, Case, Phase, Plan, Send, Step};

/// What every session takes apart from the subject, in microseconds.
const SANDBOX_US: u64 = 3_000;
/// What an exchange takes as long as nothing is known, in microseconds.
const UNKNOWN_US: u64 = 20_000;
/// How many evaluations an oracle asks for in a session that it drives.
const AGENT_EVALUATIONS: u64 = 4;

/// The mean times of a subject.
pub(crate) struct Costs {
    /// The mean time of a planned message by phase, in microseconds, with all exchanges for which it stands.
    phases: HashMap<Phase, u64>,
    words: &'static Vocabulary,
}

impl Costs {
    /// Learns from sessions.
    pub fn of(sessions: &[AnySession], words: &'static Vocabulary) -> Costs {
        let mut sums: HashMap<Phase, (u64, u64)> = HashMap::new();
        for session in sessions {
            match &session.case().plan {
                Some(plan) => planned(plan, session, &mut sums),
                None => exchanged(session, &mut sums),
            }
        }
        let means = sums.into_iter();
        Costs {
            phases: means
                .map(|(phase, (sum, number))| (phase, sum / number.max(1)))
                .collect(),
            words,
        }
    }

    fn phase(&self, phase: Phase) -> u64 {
        self.phases.get(&phase).copied().unwrap_or(UNKNOWN_US)
    }

    /// What a start takes.
    fn start(&self) -> u64 {
        self.words.opening.map_or(0, |phase| self.phase(phase))
    }

    /// What the messages take that evaluate an item.
    fn evaluation(&self) -> u64 {
        let phases = self.words.phases.iter();
        let work = phases.filter(|(_, pace)| *pace == Pace::Work);
        work.map(|(phase, _)| self.phase(*phase)).sum()
    }

    /// What a planned session, or a batch of several, will take, in microseconds.
    pub fn of_planned(&self, planned: &Planned, setting: &Setting<'_>) -> u64 {
        match planned {
            Planned::Case(case) => self.of_case(case),
            Planned::Batch(batch) => self.of_case(&batch.case(setting, 0, 0)),
        }
    }

    fn of_case(&self, case: &Case) -> u64 {
        let steps = case.plan.iter().flat_map(|plan| &plan.steps);
        // A process takes its time to start also where nothing is sent to it.
        let exchanges = steps.map(|step| match step {
            Step::Start { .. } => self.start(),
            Step::Send(send) if Some(send.phase) == self.words.opening => 0,
            Step::Send(send) => self.phase(send.phase),
            _ => 0,
        });
        let exchanges: u64 = exchanges.sum();
        let driven = match case.has_oracle() {
            true => self.start() + AGENT_EVALUATIONS * self.evaluation(),
            false => 0,
        };
        SANDBOX_US + exchanges + driven + pauses(case)
    }
}

/// Adds the times of the messages that a session planned. A message stands for the exchange of its key, and
/// for those before it that belong to no other.
fn planned(plan: &Plan, session: &AnySession, sums: &mut HashMap<Phase, (u64, u64)>) {
    let sends = plan.steps.iter().filter_map(|step| match step {
        Step::Send(send) => Some(send),
        _ => None,
    });
    let sends: Vec<&Send> = sends.collect();
    for send in &sends {
        sums.entry(send.phase).or_default().1 += 1;
    }
    let mut rest = &sends[..];
    let mut waiting = 0_u64;
    for exchange in session.reading().exchanges() {
        waiting = waiting.saturating_add(exchange.took().unwrap_or(0));
        let own = |send: &&Send| send.key == exchange.key && send.phase == exchange.phase;
        if let Some(at) = rest.iter().position(own) {
            let sum = &mut sums.entry(exchange.phase).or_default().0;
            *sum = sum.saturating_add(std::mem::take(&mut waiting));
            rest = &rest[at + 1..];
        }
    }
}

/// Adds the times of the exchanges of a session without a plan.
fn exchanged(session: &AnySession, sums: &mut HashMap<Phase, (u64, u64)>) {
    for exchange in session.reading().exchanges() {
        if let Some(took) = exchange.took() {
            let (sum, number) = sums.entry(exchange.phase).or_default();
            *sum = sum.saturating_add(took);
            *number += 1;
        }
    }
}

/// May a session wait for something else than the subject, and longer than usual?
pub(crate) fn is_patient(case: &Case) -> bool {
    let mut steps = case.plan.iter().flat_map(|plan| &plan.steps);
    let usual = |phase| case.deadlines.of(phase);
    steps.any(|step| matches!(step, Step::Send(send) if send.deadline_us > usual(send.phase)))
}

/// How long a session may pause by its plan, in microseconds.
pub(crate) fn pauses(case: &Case) -> u64 {
    case.plan.as_ref().map_or(0, |plan| {
        // An optional answer may not come, so the session waits for the whole time.
        let optional =
            |step: &&Step| matches!(step, Step::Send(send) if send.answer == Answer::Optional);
        plan.pauses_us() + OPTIONAL_US * plan.steps.iter().filter(optional).count() as u64
    })
}
