//! Finds out whether a failure is the deployed agents' fault: where they do otherwise than the
//! specification says, what a subject does to its letter may fail.

use crate::bench::Bench;
use crate::dialect::family;
use crate::error::RunError;
use crate::run::{hangs, replay};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use stickler_judge::{AnySession, Judged, Level, Rule, Traced, judge_alone};
use stickler_transcript::Case;

/// What says that the deployed agents cause a failure.
#[derive(Clone)]
struct Fault {
    words: String,
    /// What the author declared comes about with no deployed agent.
    is_hopeless: bool,
}

/// What becomes of the findings of an outcome, in their order.
pub(crate) struct Excuses {
    /// What excuses each, if anything does.
    pub reasons: Vec<Option<String>>,
    /// What is to be said of each that is not excused, although the specification would forgive it.
    pub notes: Vec<Option<String>>,
}

/// Holds the session of each finding of a confirmed failure once more, with an agent as the
/// specification has it. If the rule is kept there, says for the finding what the deployed agents do.
///
/// # Errors
/// If the harness fails.
pub(crate) fn excuses(
    bench: &Bench<'_>,
    rules: &[&Rule],
    sessions: &[AnySession],
    outcome: &Judged,
    stop: &AtomicBool,
) -> Result<Excuses, RunError> {
    // Findings of one session share what became of it.
    let mut known: BTreeMap<usize, Option<Fault>> = BTreeMap::new();
    let mut excuse = |traced: &Traced| {
        // A comparison says nothing about one session.
        let [number] = traced.finding.sessions[..] else {
            return Ok(None);
        };
        let mut agent = None;
        for number in std::iter::once(number).chain(others(sessions, number, &traced.also)) {
            let why = match known.entry(number) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    let session = &sessions[number];
                    place.insert(at_fault(bench, rules, session, outcome.code, stop)?)
                }
            };
            agent.clone_from(why);
            // One that an agent cannot have caused is enough, or one that no agent can help.
            if agent.as_ref().is_none_or(|fault| fault.is_hopeless) {
                break;
            }
        }
        Ok::<_, RunError>(agent)
    };
    let mut excuses = Excuses {
        reasons: Vec::new(),
        notes: Vec::new(),
    };
    for traced in &outcome.findings {
        let fault = excuse(traced)?;
        let is_hopeless = fault.as_ref().is_some_and(|fault| fault.is_hopeless);
        let words = fault.map(|fault| fault.words);
        let (reason, note) = match is_hopeless {
            true => (None, words),
            false => (words, None),
        };
        excuses.reasons.push(reason);
        excuses.notes.push(note);
    }
    Ok(excuses)
}

/// So many further sessions of a finding are held once more.
const OTHERS: usize = 3;

/// Sessions that show the same as another, each of another plan family: what an agent does otherwise in one of
/// them, it need not do in all.
fn others(sessions: &[AnySession], number: usize, also: &[usize]) -> Vec<usize> {
    let family = |number: usize| family(&sessions[number].case().id);
    let mut known = BTreeSet::from([family(number)]);
    let others = also.iter().copied();
    let others = others.filter(|number| known.insert(family(*number)));
    others.take(OTHERS).collect()
}

/// What says that the deployed agents cause what breaks a rule in a session, if they do.
fn at_fault(
    bench: &Bench<'_>,
    rules: &[&Rule],
    session: &AnySession,
    code: &str,
    stop: &AtomicBool,
) -> Result<Option<Fault>, RunError> {
    let dialect = bench.dialect;
    // A hang would take its time again.
    if hangs(session).is_some() {
        return Ok(None);
    }
    let Some(specified) = dialect.specified(session.case()) else {
        return Ok(None);
    };
    let breaks = |session: &AnySession| broken(rules, session, code);
    let again = |case: Case| replay(bench, case, 1, Some(stop));
    // It may not get away with another fault in place of this one.
    let before = breaks(session);
    let held = again(specified)?;
    let after = breaks(&held);
    let fails_more = dialect.failures(&held) > dialect.failures(session);
    if after.contains(code) || !after.is_subset(&before) || fails_more {
        return Ok(None);
    }
    let (name, cases) = dialect.deployed(session.case());
    let count = cases.len();
    let mut versions = Vec::new();
    for (version, case) in cases {
        if breaks(&again(case)?).contains(code) {
            versions.push(version);
        }
    }
    let is_everywhere = versions.len() == count;
    let is_hopeless = is_everywhere && session.is_usual() && dialect.judges_declarations(code);
    let versions_named = versions.join(" and ");
    let words = match is_hopeless {
        true => format!(
            "the specification would forgive it, but what is declared comes about with no known version of \
             {name} ({versions_named})"
        ),
        false => format!(
            "due to {name} {versions_named}: it does not occur with an agent that keeps to the specification"
        ),
    };
    Ok((!versions.is_empty()).then_some(Fault { words, is_hopeless }))
}

/// The codes of rules that a session breaks: those of level `must`, and the one in question.
fn broken(rules: &[&Rule], session: &AnySession, code: &str) -> BTreeSet<&'static str> {
    let rules = rules.iter().copied();
    let rules: Vec<&Rule> = rules
        .filter(|rule| rule.level == Level::Must || rule.code == code)
        .collect();
    let ledgers = judge_alone(&rules, session);
    let all = rules.iter().zip(&ledgers);
    all.filter(|(_, ledger)| !ledger.findings.is_empty())
        .map(|(rule, _)| rule.code)
        .collect()
}
