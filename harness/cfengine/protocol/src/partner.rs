//! Compares a session with its partner in the group.

use crate::compare::{difference, differing_paths, pairs, unstable};
use crate::effects::effects_of;
use crate::output::{answer_variant, exit_words};
use crate::phase;
use crate::session::{Ended, Exchange, Session};
use crate::temporary::{lies_in_temporary, looks_temporary, name, promised_texts};
use crate::volatile::{Volatile, difference as difference_of, is_renamed};
use crate::words::{shown, visible};
use std::collections::{BTreeMap, BTreeSet};
use stickler_judge::{Finding, Group, Ledger, RunPlace, Variant};
use stickler_reading::entry_difference;
use stickler_transcript::{Case, Entry, ExitCause, FileType, Item, Key, Phase, Provenance};

/// The same outcome, but other effects.
pub(crate) const OTHER_EFFECTS: Variant = Variant::new("other-effects");
/// The same outcomes, but another end state.
pub(crate) const OTHER_END_STATE: Variant = Variant::new("other-end-state");

/// An exchange, compared with its partner's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The same outcome.
    Same,
    /// Another outcome, in words.
    Differs(String),
    /// The partner was answered, but this one was not; why, in words.
    Unanswered(String),
}

/// Compares outcomes. `None` if another rule judges this: the baseline has no result to compare
/// with, or the variant's answer is unreadable.
pub(crate) fn seen(baseline: &Exchange, variant: &Exchange) -> Option<Seen> {
    if !readable(baseline) {
        return None;
    }
    if let Some(words) = unanswered(variant) {
        return Some(Seen::Unanswered(words));
    }
    if !readable(variant) {
        return None;
    }
    Some(difference(baseline, variant).map_or(Seen::Same, Seen::Differs))
}

/// Does it have an answer in time, with a result?
pub(crate) fn readable(exchange: &Exchange) -> bool {
    !exchange.late && exchange.result().is_some()
}

/// Why there is no answer, in words. `None` if there is one, if there could be none, or if a part
/// of one arrived, which rules about framing judge.
pub(crate) fn unanswered(exchange: &Exchange) -> Option<String> {
    if exchange.message.is_some() {
        return None;
    }
    match exchange.ended {
        Ended::Exited(ExitCause::Lost) => None,
        Ended::Exited(cause) => Some(format!(
            "no answer, the process ended ({})",
            exit_words(cause)
        )),
        Ended::ClosedOutput => Some("no answer, standard output was closed".into()),
        Ended::Silent(_) if exchange.output.is_empty() => Some("no answer in time".into()),
        Ended::Silent(_) | Ended::Answered | Ended::Killed | Ended::NoAnswer => None,
    }
}

/// Does the subject run on without an answer?
pub(crate) fn hangs(exchange: &Exchange) -> bool {
    matches!(exchange.ended, Ended::Silent(_))
}

/// Grades a finding by its provenance; a hang gets a higher grade.
pub(crate) fn graded(finding: Finding, exchange: &Exchange) -> Finding {
    graded_as(finding, exchange, exchange.provenance)
}

fn graded_as(finding: Finding, exchange: &Exchange, provenance: Provenance) -> Finding {
    if hangs(exchange) {
        finding.hang(provenance)
    } else {
        finding.graded(provenance)
    }
}

/// What is special about a variant, in words that begin a message.
pub(crate) enum What<'a> {
    /// These words.
    Words(&'a str),
    /// The log level of each request.
    Level,
}

impl What<'_> {
    fn words(&self, exchange: Option<&Exchange>) -> String {
        match self {
            What::Words(words) => (*words).to_owned(),
            What::Level => {
                let level = exchange
                    .and_then(|exchange| exchange.request.as_ref()?.log_level.as_deref())
                    .map_or_else(|| "another".to_owned(), visible);
                format!("at log level `{level}`")
            }
        }
    }
}

/// How to compare a variant with the baseline.
pub(crate) struct Comparison<'a> {
    /// What is special about the variant; a message begins with this.
    pub(crate) what: What<'a>,
    /// Which pairs are judged.
    pub(crate) pair: fn(&Exchange, &Exchange) -> bool,
    /// Which differences count. Other differences are neither a pass nor a finding.
    pub(crate) counts: &'a dyn Fn(&Exchange, &Exchange, &Seen) -> bool,
    /// Are effects compared too?
    pub(crate) effects: bool,
    /// The kind of defect of all findings, if the special property of the variant says more than
    /// the difference between the sessions.
    pub(crate) defect: Option<Variant>,
}

impl<'a> Comparison<'a> {
    /// A comparison in which everything counts.
    pub(crate) fn of(what: &'a str) -> Self {
        Comparison {
            what: What::Words(what),
            pair: |_, _| true,
            counts: &|_, _, _| true,
            effects: true,
            defect: None,
        }
    }

    /// Compares all exchanges that both sessions have.
    pub(crate) fn judge(
        &self,
        group: &Group<'_, Session>,
        (index, variant): (usize, &Session),
        ledger: &mut Ledger,
    ) {
        let Some((partner, baseline)) = group.baseline() else {
            return;
        };
        let unstable = unstable(group);
        let volatile = Volatile::of(group);
        let mut sound = true;
        let mut effects_known = false;
        for (before, after) in pairs(baseline, variant) {
            if unstable.contains(&after.key) || !(self.pair)(before, after) {
                continue;
            }
            let Some(seen) = seen(before, after) else {
                sound = false;
                continue;
            };
            if seen != Seen::Same {
                sound = false;
                if !(self.counts)(before, after, &seen) {
                    continue;
                }
            }
            let wrong = match &seen {
                Seen::Differs(words) | Seen::Unanswered(words) => Some(words.clone()),
                Seen::Same if self.effects => {
                    effects_known |=
                        before.all_effects().is_some() && after.all_effects().is_some();
                    effect_difference(before, after, variant.case(), &volatile)
                }
                Seen::Same => None,
            };
            let place = at(index, after);
            let Some(words) = wrong else {
                ledger.passes.push(place);
                continue;
            };
            let how = match &seen {
                Seen::Same => OTHER_EFFECTS,
                _ => answer_variant(before, after),
            };
            let message = format!("{}: {words}", self.what.words(Some(after)));
            let finding = ledger
                .finding_at(place, self.defect.unwrap_or(how).says(message))
                .also(at(partner, before));
            let finding = match &seen {
                Seen::Same => finding.expected("the same effects"),
                _ => finding.expected(crate::compare::expected(before, after)),
            };
            let provenance = before.provenance.max(after.provenance);
            ledger.report(graded_as(finding, after, provenance));
        }
        if self.effects && sound && !effects_known {
            self.end_states(group, (index, variant), &volatile, ledger);
        }
    }

    fn end_states(
        &self,
        group: &Group<'_, Session>,
        (index, variant): (usize, &Session),
        volatile: &Volatile,
        ledger: &mut Ledger,
    ) {
        let Some((partner, baseline)) = group.baseline() else {
            return;
        };
        if !same_work(baseline, variant) {
            return;
        }
        let Some(path) = end_differences(baseline, variant, volatile).next() else {
            return;
        };
        let provenance = variant
            .exchanges
            .iter()
            .map(|exchange| exchange.provenance)
            .max()
            .unwrap_or_default();
        let last = variant.evaluations().last();
        let message = format!(
            "{}: in the end {}",
            self.what.words(last),
            end_words(&path, baseline, variant)
        );
        let last = last.map(|exchange| exchange.number);
        let how = self.defect.unwrap_or(OTHER_END_STATE);
        let finding = ledger
            .finding_at(
                RunPlace {
                    session: index,
                    exchange: last,
                },
                how.says(message),
            )
            .expected("the same end state")
            .graded(provenance)
            .also(RunPlace {
                session: partner,
                exchange: baseline
                    .evaluations()
                    .last()
                    .map(|exchange| exchange.number),
            });
        ledger.report(finding);
    }
}

/// The plain run's exchange in a phase about the example from which a promise was made.
pub(crate) fn plain<'s>(
    baseline: &'s Session,
    promise: &Item,
    phase: Phase,
) -> Option<&'s Exchange> {
    baseline.exchanges.iter().find(|plain| {
        plain.phase == phase
            && baseline
                .item(plain)
                .is_some_and(|known| known.original && known.example == promise.example)
    })
}

/// The place of an exchange.
pub(crate) fn at(session: usize, exchange: &Exchange) -> RunPlace {
    RunPlace::at(session, exchange.number)
}

/// Did both sessions evaluate the same promises with the same results, with effects recorded in
/// both?
fn same_work(one: &Session, other: &Session) -> bool {
    fn work(session: &Session) -> BTreeSet<(&Key, Option<&[u8]>)> {
        session
            .exchanges
            .iter()
            .filter(|exchange| exchange.phase == phase::EVALUATE)
            .map(|exchange| (&exchange.key, exchange.result()))
            .collect()
    }
    one.complete && other.complete && read_alike(one, other) && work(one) == work(other)
}

/// Were effects recorded in both sessions, from before the first message?
pub(crate) fn read_alike(one: &Session, other: &Session) -> bool {
    let whole = |session: &Session| {
        let first = session.observations.first();
        session.observations.len() > 1 && first.is_some_and(|first| first.exchanges.is_empty())
    };
    whole(one) && whole(other)
}

/// Does a second evaluation change nothing in an undisturbed session? Otherwise the end state
/// depends on the number of evaluations.
pub(crate) fn settles(baseline: &Session) -> bool {
    baseline.evaluations().all(|exchange| {
        exchange.is("kept")
            || exchange.is("repaired")
                && !baseline.evaluations().any(|later| {
                    later.number > exchange.number
                        && later.item == exchange.item
                        && !later.is("kept")
                })
    })
}

/// A path and how its end state differs, in words.
pub(crate) fn end_words(path: &[u8], baseline: &Session, variant: &Session) -> String {
    let state = |session| crate::compare::scratch_state(session).remove(path);
    let words = match (state(baseline), state(variant)) {
        (Some(before), Some(after)) => {
            entry_difference(&before, &after).unwrap_or_else(|| "has other content".into())
        }
        (Some(_), None) => "is missing".into(),
        (None, _) => "also exists".into(),
    };
    format!("`{}` {words}", shown(path, variant.case(), 80))
}

/// The paths in the scratch directories whose end state differs, except volatile and temporary
/// ones.
pub(crate) fn end_differences(
    baseline: &Session,
    variant: &Session,
    volatile: &Volatile,
) -> impl Iterator<Item = Vec<u8>> {
    let (before, after) = (
        crate::compare::scratch_state(baseline),
        crate::compare::scratch_state(variant),
    );
    let texts = promised_texts(variant);
    let names: Vec<&[u8]> = texts
        .iter()
        .map(|text| name(text))
        .filter(|name| !name.is_empty())
        .collect();
    let mut differing = differing_paths(baseline, variant);
    differing.retain(|path| {
        if volatile.covers(path) {
            return false;
        }
        match (before.get(path), after.get(path)) {
            (Some(before), Some(after)) => difference_of(before, after).is_some(),
            (Some(entry), None) | (None, Some(entry)) if entry.kind == FileType::Special => false,
            _ => !lies_in_temporary(path, &names),
        }
    });
    differing.into_iter()
}

/// Something in the scratch directories that one session leaves, and another session lacks.
pub(crate) struct Lost {
    /// The path.
    pub(crate) path: Vec<u8>,
    /// How it differs.
    pub(crate) difference: String,
    /// Does it exist, with only another mode?
    pub(crate) mode_alone: bool,
}

/// The first `wanted` thing that is lost: a promised path first, differences in mode last. `now` is
/// what the other session leaves.
pub(crate) fn lost(
    baseline: &Session,
    now: &BTreeMap<Vec<u8>, Entry>,
    volatile: &Volatile,
    wanted: impl Fn(&[u8]) -> bool,
) -> Option<Lost> {
    let state = crate::compare::scratch_state(baseline);
    let has_other_name = |path: &[u8]| {
        let mut new = now.keys().filter(|other| !state.contains_key(*other));
        new.any(|other| is_renamed(path, other))
    };
    let lost = state
        .iter()
        .filter(|(path, usual)| {
            !volatile.covers(path) && wanted(path) && usual.kind != FileType::Special
        })
        .filter_map(|(path, usual)| {
            let found = now.get(path);
            let difference = match found {
                Some(found) => difference_of(usual, found)?,
                None if has_other_name(path) => return None,
                None => "is missing".into(),
            };
            let alike = Entry {
                mode: found.map_or(0, |found| found.mode),
                ..usual.clone()
            };
            let mode_alone = found.is_some_and(|found| entry_difference(&alike, found).is_none());
            Some(Lost {
                path: path.clone(),
                difference,
                mode_alone,
            })
        });
    let texts = promised_texts(baseline);
    lost.min_by_key(|lost| (lost.mode_alone, !texts.contains(&&lost.path[..])))
}

/// How the effects of two exchanges with the same outcome differ, in words. `None` if they do not,
/// or were not recorded for both.
pub(crate) fn effect_difference(
    baseline: &Exchange,
    variant: &Exchange,
    case: &Case,
    volatile: &Volatile,
) -> Option<String> {
    if baseline.all_effects().is_none() || variant.all_effects().is_none() {
        return None;
    }
    let (before, after) = (effects_of(baseline, case), effects_of(variant, case));
    let paths: BTreeSet<&&[u8]> = before.keys().chain(after.keys()).collect();
    paths.into_iter().find_map(|path| {
        if volatile.covers(path) || looks_temporary(path, &[]) {
            return None;
        }
        let words = match (before.get(*path), after.get(*path)) {
            (Some(Some(entry)), None | Some(None)) | (None | Some(None), Some(Some(entry)))
                if entry.kind == FileType::Special =>
            {
                return None;
            }
            (Some(Some(before)), Some(Some(after))) => difference_of(before, after)?,
            (Some(None), Some(None)) | (None, None) => return None,
            // Another promise may already have created the directory.
            (Some(Some(entry)), None) if entry.kind == FileType::Directory => return None,
            (Some(Some(_)), None | Some(None)) => "is not written".to_owned(),
            (None | Some(None), Some(Some(_))) => "is written".to_owned(),
            (Some(None), None) => "is not deleted".to_owned(),
            (None, Some(None)) => "is deleted".to_owned(),
        };
        Some(format!("`{}` {words}", shown(path, case, 80)))
    })
}
