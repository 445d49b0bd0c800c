//! What a situation shows: broken rules, an agent that does not end, differences from the reference agent.

use crate::conform::outcomes_of;
use stickler_conform::{Difference, Maker, Stored, Tried, Weight, differs};
use stickler_judge::{AnySession, Reported, Rule};
use stickler_suite::Dialect;
use stickler_transcript::Transcript;

/// By what situations are judged.
pub(super) struct Judging<'j> {
    pub(super) maker: &'j dyn Maker,
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
    /// What the agent did, without what differs from situation to situation: others that show this show the same defect.
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
        let failed = outcomes
            .into_iter()
            // What follows from another finding has no cause of its own.
            .filter(|one| one.verdict.is_failure() && one.explained_by.is_none());
        let mut all: Vec<Shown> = failed
            .map(|outcome| Shown {
                signature: self.signature(&outcome, tried),
                rule: outcome.code.clone(),
                outcome,
            })
            .collect();
        // What a rule tells explains a difference.
        if all.is_empty() && self.compares {
            let mut found = tried.differences.clone();
            if tried.hung {
                found.push(Difference {
                    weight: Weight::Outcome,
                    what: "exit".to_owned(),
                    expected: "an end".to_owned(),
                    got: "none".to_owned(),
                });
            }
            let name = tried.situation["name"].as_str().unwrap_or_default();
            let outcome = differs(name, &tried.played, &found, self.release);
            all.extend(outcome.map(|outcome| Shown {
                rule: DIFFERENCE.to_owned(),
                signature: format!("{DIFFERENCE} {}", tried.parted),
                outcome,
            }));
        }
        all
    }

    /// Rule, variant, and what the rule says; of an agent that ended, how and where.
    fn signature(&self, outcome: &Reported, tried: &Tried) -> String {
        let first = outcome.findings.first();
        let variant = first.map(|found| serde_json::to_value(found.variant).unwrap_or_default());
        let variant = variant.as_ref().and_then(|variant| variant.as_str());
        let message = first.map_or("", |found| &found.message);
        let what = match self.maker.judges_ends(&outcome.code) {
            true if !tried.ended.is_empty() => tried.ended.clone(),
            _ => plain(message),
        };
        let words = [&outcome.code, variant.unwrap_or_default(), &what];
        let words = words.into_iter().filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(" ")
    }
}

/// A message without quoted texts and numbers: these differ from situation to situation.
fn plain(message: &str) -> String {
    let mut all = String::new();
    let mut quote = None;
    for c in message.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '`' | '"') => {
                quote = Some(c);
                all.push('_');
            }
            None if c.is_ascii_digit() => {
                if !all.ends_with('0') {
                    all.push('0');
                }
            }
            None => all.push(c),
        }
    }
    // A list has as many quoted texts as the situation has reasons.
    for between in ["_, _", "_ and _", "_ or _", "_ _"] {
        while all.contains(between) {
            all = all.replace(between, "_");
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn messages_that_differ_in_values_are_one() {
        let one = plain("the agent sends its own attributes: `handle`");
        assert_eq!(
            plain("the agent sends its own attributes: `comment`, `handle` and `if`"),
            one
        );
        assert_eq!(
            plain("item \"p0\" took 12 s"),
            plain("item \"a b\" took 3 s")
        );
        assert_ne!(
            plain("sent before the header"),
            plain("sent before the answer")
        );
        assert_eq!(plain("an open `quote"), "an open _");
    }
}
