//! What a situation shows: broken rules, an agent that does not end, differences from the reference agent.

use crate::conform::outcomes_of;
use stickler_conform::{Difference, Stored, Tried, differs};
use stickler_judge::{AnySession, Reported, Rule};
use stickler_suite::Dialect;
use stickler_transcript::Transcript;

/// By what situations are judged.
pub(super) struct Judging<'j> {
    pub(super) dialect: &'j dyn Dialect,
    pub(super) rules: &'j [&'static Rule],
    /// Does a difference from the reference agent count?
    pub(super) compares: bool,
    pub(super) release: &'j str,
}

/// A defect that a situation shows.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// The rule, or that it differs.
    pub(super) rule: String,
    /// Rule, variant and token: other situations that show this show the same defect.
    pub(super) signature: String,
    pub(super) outcome: Reported,
}

/// The rule of a difference.
pub(super) const DIFFERENCE: &str = "difference";

impl Judging<'_> {
    /// The conversations of a situation, each with what plays it again.
    pub(super) fn transcripts(&self, tried: &Tried) -> Vec<Transcript> {
        let mut all = tried.played.sessions.clone();
        for one in &mut all {
            if let Some(stored) = Stored::of(&one.case) {
                let stored = Stored {
                    situation: tried.situation.clone(),
                    release: Some(self.release.to_owned()),
                    ..stored
                };
                stored.note(&mut one.case);
            }
        }
        all
    }

    /// The defects.
    pub(super) fn shown(&self, tried: &Tried) -> Vec<Shown> {
        let transcripts = self.transcripts(tried).into_iter();
        let sessions: Vec<AnySession> = transcripts.map(|one| self.dialect.read(one)).collect();
        let outcomes = outcomes_of(self.dialect, self.rules, &sessions);
        let failed = outcomes.into_iter().filter(|one| one.verdict.is_failure());
        let mut all: Vec<Shown> = failed
            .map(|outcome| {
                let variant = outcome.findings.first().map(|found| found.variant);
                let variant = serde_json::to_value(variant).unwrap_or_default();
                let variant = variant.as_str().unwrap_or_default();
                Shown {
                    signature: format!("{} {variant} {}", outcome.code, tried.token)
                        .trim_end()
                        .to_owned(),
                    rule: outcome.code.clone(),
                    outcome,
                }
            })
            .collect();
        // What a rule tells explains a difference.
        if all.is_empty() && self.compares {
            let mut found = tried.differences.clone();
            if tried.hung {
                found.push(Difference {
                    what: "exit".to_owned(),
                    expected: "an end".to_owned(),
                    got: "none".to_owned(),
                });
            }
            let name = tried.situation["name"].as_str().unwrap_or_default();
            let outcome = differs(name, &tried.played, &found, self.release);
            all.extend(outcome.map(|outcome| Shown {
                rule: DIFFERENCE.to_owned(),
                signature: format!("{DIFFERENCE} {}", tried.token),
                outcome,
            }));
        }
        all
    }
}
