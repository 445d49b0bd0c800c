//! Judges sessions by the rules that need no other session.

use crate::cause::{Cause, cause};
use crate::finding::{Kind, Signature};
use crate::machine::lost_programs;
use stickler_judge::{
    AnySession, Expectations, Judged, Level, Presumed, Rule, Verdict, conclude, judge_alone,
};
use stickler_reading::Ended;
use stickler_transcript::{ExitCause, Phase};

/// `SIGXFSZ`, see signal(7).
const FILE_TOO_LARGE: i32 = 25;
/// How an exchange ended whose answer did not come in time.
const SILENT: &str = "silent";

/// A defect that a session seems to show.
#[derive(Clone, Debug)]
pub struct Suspicion {
    /// What makes it the same defect as another one.
    pub signature: Signature,
    /// Its level.
    pub level: Level,
    /// What happened.
    pub message: String,
    /// How it ended, if the subject died or wrote errors: what is written there in one place for all inputs.
    pub cause: Option<Cause>,
}

impl Suspicion {
    /// Does it take long to show it again?
    pub(crate) fn is_slow(&self) -> bool {
        self.signature.kind.ended == SILENT
    }
}

/// The rules, and what the author says about them.
pub struct Judge<'j> {
    /// The rules.
    pub rules: &'j [&'static Rule],
    /// What the author expects or waives.
    pub expectations: &'j Expectations,
    /// What the examples break without any fuzzing.
    pub presumed: &'j Presumed,
}

impl Judge<'_> {
    /// What a session seems to show. Findings that others explain are left out, as are those that
    /// the author expects or waives.
    pub fn suspicions(&self, session: &AnySession) -> Vec<Suspicion> {
        let broken = self.broken(session);
        let sound = |outcome: &&Judged| {
            outcome.explained_by.is_none()
                && matches!(
                    outcome.verdict,
                    Verdict::Fail | Verdict::Flaky | Verdict::Advice
                )
        };
        let mut suspicions: Vec<Suspicion> = Vec::new();
        for outcome in broken.iter().filter(sound) {
            for found in &outcome.findings {
                let exchange = found.finding.place.exchange;
                if hit_file_limit(session, exchange)
                    || is_out_of_step(session, exchange)
                    || lost_programs(session, exchange)
                {
                    continue;
                }
                let signature = Signature {
                    rule: outcome.code.to_owned(),
                    variant: found.variant.name(),
                    group: found.group.to_string(),
                    kind: kind(session, exchange),
                };
                if !suspicions.iter().any(|known| known.signature == signature) {
                    suspicions.push(Suspicion {
                        signature,
                        level: found.level,
                        message: found.message.clone(),
                        cause: cause(session, exchange),
                    });
                }
            }
        }
        suspicions
    }

    /// The outcomes of the rules that a session breaks.
    pub fn broken(&self, session: &AnySession) -> Vec<Judged> {
        let mut ledgers = judge_alone(self.rules, session);
        self.presumed.withdraw(self.rules, &mut ledgers, session);
        if ledgers.iter().all(|ledger| ledger.findings.is_empty()) {
            return Vec::new();
        }
        let session = std::slice::from_ref(session);
        let mut outcomes = conclude(self.rules, &ledgers, session, self.expectations);
        outcomes.retain(|outcome| !outcome.findings.is_empty());
        outcomes
    }
}

/// Did the kernel end the subject because a file became larger than the campaign allows? Most programs leave that to it.
fn hit_file_limit(session: &AnySession, number: Option<usize>) -> bool {
    let mut exchanges = session.reading().exchanges();
    exchanges.any(|exchange| {
        exchange.ended == Ended::Exited(ExitCause::Signal(FILE_TOO_LARGE))
            && number.is_none_or(|number| exchange.number <= number)
    })
}

/// Is this the answer to a message after bytes that no agent sends? These may have been two messages or none, so that
/// each later answer may be that to another message. That the subject dies or hangs still counts.
fn is_out_of_step(session: &AnySession, number: Option<usize>) -> bool {
    let exchanges = session.reading().exchanges();
    let mut after = exchanges.skip_while(|exchange| exchange.phase != Phase::OTHER);
    after.next();
    after.any(|exchange| Some(exchange.number) == number && exchange.ended == Ended::Answered)
}

/// Where and how a session went wrong: the phase, and how the exchange ended.
fn kind(session: &AnySession, number: Option<usize>) -> Kind {
    let mut exchanges = session.reading().exchanges();
    let Some(exchange) = exchanges.find(|exchange| Some(exchange.number) == number) else {
        return Kind::default();
    };
    Kind {
        phase: exchange.phase.name().into_owned(),
        ended: match exchange.ended {
            Ended::Answered => "answered".to_owned(),
            Ended::NoAnswer => "no answer".to_owned(),
            Ended::ClosedOutput => "closed".to_owned(),
            Ended::Killed => "killed".to_owned(),
            Ended::Silent(_) => SILENT.to_owned(),
            Ended::Exited(ExitCause::Code(code)) => format!("exit {code}"),
            Ended::Exited(ExitCause::Signal(signal)) => format!("signal {signal}"),
            Ended::Exited(ExitCause::Lost) => "lost".to_owned(),
        },
    }
}
