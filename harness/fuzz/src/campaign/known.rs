//! What a campaign knows about the defects that sessions seem to show.

use crate::cause::Cause;
use crate::confirm::DOUBTS;
use crate::finding::{Kind, Signature};
use crate::judging::Suspicion;
use std::collections::BTreeMap;
use std::sync::Mutex;
use stickler_judge::Level;
use stickler_suite::lock;

/// How many findings of one kind are reported: of one rule, and of one form of its defect.
const ALIKE: usize = 50;
/// How many suspicions are remembered. Beyond that, only those that are known are followed.
const MOST: usize = 20_000;

/// What all workers know. Its size is bounded.
#[derive(Debug, Default)]
pub(super) struct Known {
    signatures: Mutex<BTreeMap<Signature, State>>,
    /// The causes of findings, with the highest level of each. A crash is one defect whatever rules it breaks.
    causes: Mutex<BTreeMap<(Cause, String), Option<Level>>>,
}

/// What is known about a suspicion.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Someone is about to confirm it, at this level.
    pending: Option<Level>,
    /// It is a finding of this level.
    found: Option<Level>,
    /// How often it did not show again.
    doubts: u32,
}

impl Known {
    /// Takes a suspicion on, unless it is known, given up, or in other hands.
    pub(super) fn take(&self, suspicion: &Suspicion) -> bool {
        let found = key(suspicion).and_then(|key| lock(&self.causes).get(&key).copied().flatten());
        let is_known = found.is_some_and(|found| found >= suspicion.level);
        !is_known && self.take_signature(&suspicion.signature, suspicion.level)
    }

    /// The same for what has no exchange of its own.
    pub(super) fn take_signature(&self, signature: &Signature, level: Level) -> bool {
        let mut known = lock(&self.signatures);
        if !known.contains_key(signature) && !has_room(&known, signature) {
            return false;
        }
        let known = known.entry(signature.clone()).or_default();
        // What may turn out to be advice keeps nobody from what fails the run.
        let is_higher = known
            .found
            .max(known.pending)
            .is_none_or(|known| known < level);
        let is_open = is_higher && known.doubts < DOUBTS;
        if is_open {
            known.pending = Some(level);
        }
        is_open
    }

    /// What was taken on is a finding of this level, or did not show again.
    pub(super) fn settle(&self, signature: Signature, found: Option<Level>) {
        let mut known = lock(&self.signatures);
        let known = known.entry(signature).or_default();
        known.pending = None;
        match found {
            Some(level) => known.found = known.found.max(Some(level)),
            None => known.doubts += 1,
        }
    }

    /// A confirmed defect: is it new? The smallest input may show one that is known already.
    pub(super) fn is_new(&self, suspicion: &Suspicion) -> bool {
        let raise = |found: &mut Option<Level>| {
            let before = std::mem::replace(found, (*found).max(Some(suspicion.level)));
            before < *found
        };
        let signature = suspicion.signature.clone();
        let by_signature = raise(&mut lock(&self.signatures).entry(signature).or_default().found);
        let by_cause =
            key(suspicion).is_none_or(|key| raise(lock(&self.causes).entry(key).or_default()));
        by_signature && by_cause
    }

    /// Has no input shown this before?
    pub(super) fn is_unknown(&self, signature: &Signature) -> bool {
        !lock(&self.signatures).contains_key(signature)
    }
}

/// May one more suspicion be taken on?
fn has_room(known: &BTreeMap<Signature, State>, signature: &Signature) -> bool {
    let alike =
        |known: &&Signature| known.rule == signature.rule && known.variant == signature.variant;
    // They are next to each other.
    let first = Signature {
        group: String::new(),
        kind: Kind::default(),
        ..signature.clone()
    };
    let all = known.range(first..).take_while(|(known, _)| alike(known));
    let found = all.filter(|(_, state)| state.found.is_some());
    known.len() < MOST && found.take(ALIKE).count() < ALIKE
}

/// A crash is one defect for all rules; other errors are one for each.
fn key(suspicion: &Suspicion) -> Option<(Cause, String)> {
    let cause = suspicion.cause?;
    let signature = &suspicion.signature;
    let rule = match cause.died {
        true => String::new(),
        false => format!("{}/{}", signature.rule, signature.variant),
    };
    Some((cause, rule))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::Cause;

    fn suspicion(rule: &str, group: &str, level: Level, died: bool) -> Suspicion {
        Suspicion {
            signature: Signature {
                rule: rule.to_owned(),
                variant: "",
                group: group.to_owned(),
                kind: Kind::default(),
            },
            level,
            message: String::new(),
            cause: Some(Cause::at(died, 1)),
        }
    }

    #[test]
    fn a_crash_is_told_once_for_all_rules_and_attributes() {
        let known = Known::default();
        let first = suspicion("PM405", "mode", Level::Must, true);
        assert!(known.take(&first) && !known.take(&first));
        assert!(known.is_new(&first));
        known.settle(first.signature.clone(), Some(Level::Must));
        assert!(!known.take(&suspicion("PM405", "owner", Level::Must, true)));
        assert!(!known.take(&suspicion("PM901", "", Level::Must, true)));
        assert!(!known.is_new(&suspicion("PM901", "", Level::Must, true)));
        // What it says without dying is one defect for each rule.
        assert!(known.take(&suspicion("PM405", "owner", Level::Must, false)));
        assert!(known.is_new(&suspicion("PM405", "owner", Level::Must, false)));
        assert!(!known.take(&suspicion("PM405", "group", Level::Must, false)));
        assert!(known.take(&suspicion("PM406", "group", Level::Must, false)));
    }

    #[test]
    fn advice_does_not_hide_a_failure_of_the_same_rule() {
        let known = Known::default();
        let advice = suspicion("PM901", "", Level::May, true);
        assert!(known.take(&advice) && known.is_new(&advice));
        known.settle(advice.signature, Some(Level::May));
        let worse = suspicion("PM901", "", Level::Must, true);
        assert!(known.take(&worse) && known.is_new(&worse));
    }

    #[test]
    fn a_suspicion_under_confirmation_does_not_hide_a_more_severe_one() {
        let known = Known::default();
        let weak = suspicion("PM902", "", Level::Should, false);
        assert!(known.take(&weak) && !known.take(&weak));
        let strong = suspicion("PM902", "", Level::Must, false);
        assert!(known.take(&strong) && !known.take(&strong));
        known.settle(weak.signature, Some(Level::Should));
        assert!(known.is_new(&strong));
    }

    #[test]
    fn a_defect_of_one_form_is_reported_a_bounded_number_of_times() {
        let known = Known::default();
        let found = |rule: &str, number: usize| {
            let one = suspicion(rule, &number.to_string(), Level::Must, false);
            let taken = known.take_signature(&one.signature, one.level);
            if taken {
                known.settle(one.signature, Some(one.level));
            }
            taken
        };
        let taken = (0..2 * ALIKE).filter(|number| found("PM405", *number));
        assert_eq!(taken.count(), ALIKE);
        assert!(found("PM406", 0));
    }

    #[test]
    fn a_suspicion_that_never_recurs_is_given_up() {
        let known = Known::default();
        let one = suspicion("PM405", "", Level::Must, false);
        for _ in 0..DOUBTS {
            assert!(known.take(&one));
            known.settle(one.signature.clone(), None);
        }
        assert!(!known.take(&one));
    }
}
