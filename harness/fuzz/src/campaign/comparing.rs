//! Compares sessions with what a campaign made up: an item that a subject has brought about becomes an example.

use super::shared::Campaign;
use crate::compare::{Examples, compare, keeps_form, relations};
use crate::dice::Dice;
use crate::finding::{Finding, Kind, Signature};
use crate::input::{Input, InputItem};
use crate::judging::Judge;
use crate::machine::lost_programs;
use crate::plan::{evaluates, labelled};
use crate::space::Space;
use crate::technique::Techniques;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use stickler_judge::{AnySession, Provenance, Rule};
use stickler_reading::Exchange;
use stickler_suite::RunError;
use stickler_transcript::{Bytes, Relation, Value, Variation};

/// Comparing takes at most one part in so many of the time.
const SHARE: u32 = 10;
/// Signs that shells read.
const SHELL: &[u8] = b";&|$`(<>'\"";

/// How many items that changed nothing come before an example, and how many of these at once: others only if this takes
/// at most one part in so many of the time.
const IDLE: usize = 12;
const AT_ONCE: usize = 3;
const IDLE_SHARE: u32 = 8;

/// What a worker compares.
#[derive(Debug)]
pub(super) struct Comparing {
    /// The relations that rules compare.
    relations: Vec<Relation>,
    /// The fields that baits were tried in, because they take signs of shells.
    baited: BTreeSet<Bytes>,
    /// How many items that changed nothing came before an example.
    idle: usize,
    /// How long that has taken.
    idle_took: Duration,
    /// How long all of it has taken.
    pub(super) took: Duration,
}

impl Comparing {
    /// What these rules compare.
    pub(super) fn new(rules: &[&Rule]) -> Self {
        Comparing {
            relations: relations(rules),
            baited: BTreeSet::new(),
            idle: 0,
            idle_took: Duration::ZERO,
            took: Duration::ZERO,
        }
    }

    /// An item that a session changed something for, as an example, and what sessions with it are compared for. Most of
    /// the time goes to inputs nevertheless. Where a session showed something new, its item may have changed nothing: the
    /// author's example must do the same after it.
    pub(super) fn choose(
        &mut self,
        (campaign, space): (&Campaign<'_>, &Space<'_>),
        dice: &mut Dice,
        (input, session, is_new): (&Input, &AnySession, bool),
    ) -> Option<(Examples, Relation)> {
        if !space.setting.sandboxed || lost_programs(session, None) {
            return None;
        }
        let elapsed = campaign.counters.began.elapsed();
        let affords_idle = self.idle < AT_ONCE || self.idle_took * IDLE_SHARE <= elapsed;
        if is_new
            && self.idle < IDLE
            && affords_idle
            && self.relations.contains(&Relation::ALONE)
            && let Some(item) = unchanged(space, input, session)
        {
            self.idle += 1;
            return Some((Examples::Before(item), Relation::ALONE));
        }
        let item = changed(space, dice, (input, session))?;
        let affords = self.took * SHARE <= elapsed;
        let relation = self.relation(space, dice, &item, affords)?;
        Some((Examples::Item(item), relation))
    }

    /// Compares sessions.
    ///
    /// # Errors
    /// If no session can start, or if the harness fails.
    pub(super) fn compare(
        &mut self,
        (campaign, judge): (&Campaign<'_>, &Judge<'_>),
        (examples, relation): (&Examples, Relation),
        by: Techniques,
    ) -> Result<(), RunError> {
        let setup = campaign.setup;
        let began = Instant::now();
        let found = compare(
            &setup.bench,
            setup.settings,
            judge.rules,
            examples,
            relation,
            &campaign.halt,
        );
        self.took += began.elapsed();
        if matches!(examples, Examples::Before(_)) {
            self.idle_took += began.elapsed();
        }
        for (outcome, transcripts) in found? {
            let Some(found) = outcome.findings.first() else {
                continue;
            };
            let signature = Signature {
                rule: outcome.code.clone(),
                variant: found.variant.name(),
                group: found.group.to_string(),
                kind: Kind::default(),
            };
            if !campaign.known.take_signature(&signature, found.level) {
                continue;
            }
            campaign.known.settle(signature.clone(), Some(found.level));
            let finding = Finding {
                level: found.level,
                message: found.message.clone(),
                signature,
                input: Input::default(),
                transcripts,
                shown: (2, 2),
                at: campaign.counters.began.elapsed(),
                cases: campaign.counters.cases.load(Ordering::Relaxed),
                again: false,
                outcome,
            };
            campaign.find(finding, by);
        }
        Ok(())
    }

    /// What sessions with an item are compared for, if there is time. A field that takes a sign which shells read, where
    /// the author has none, gets baits at once.
    fn relation(
        &mut self,
        space: &Space<'_>,
        dice: &mut Dice,
        item: &InputItem,
        affords: bool,
    ) -> Option<Relation> {
        let base = space.base(&item.example).map(|(_, base)| base);
        let own = |name: &Bytes| {
            let mut fields = base.into_iter().flat_map(InputItem::fields);
            fields.find(|(known, _)| known == name)
        };
        let is_odd = |value: &Value| {
            let mut words = value.words().into_iter();
            words.any(|word| word.iter().any(|byte| SHELL.contains(byte)))
        };
        let odd = item.fields().find(|(name, value)| {
            let known = own(name);
            !self.baited.contains(name)
                && is_odd(value)
                && known.is_none_or(|(_, known)| !is_odd(known))
        });
        if let Some((name, _)) = odd.filter(|_| self.relations.contains(&Relation::TRAPS)) {
            self.baited.insert(name.clone());
            return Some(Relation::TRAPS);
        }
        affords
            .then(|| dice.pick(&self.relations).copied())
            .flatten()
    }
}

/// An item that the subject set up in a session, by a message that an agent could send.
fn changed(
    space: &Space<'_>,
    dice: &mut Dice,
    (input, session): (&Input, &AnySession),
) -> Option<InputItem> {
    let labels: Vec<&str> = ordinary(session)
        .filter(|one| {
            one.effects
                .as_ref()
                .is_some_and(|effects| !effects.is_empty())
        })
        .filter_map(|one| one.item.as_deref())
        .collect();
    made_up(space, (input, session), dice.pick(&labels)?)
}

/// The last item for which the subject has changed nothing, though it was asked to by messages that an agent could send.
fn unchanged(space: &Space<'_>, input: &Input, session: &AnySession) -> Option<InputItem> {
    let is_idle = |effects: &Option<Vec<_>>| effects.as_ref().is_some_and(Vec::is_empty);
    let last = ordinary(session).filter(|one| evaluates(&one.key)).last()?;
    let label = last.item.as_deref()?;
    let mut own = ordinary(session).filter(|one| one.item.as_deref() == Some(label));
    let item = own
        .all(|one| is_idle(&one.effects))
        .then(|| made_up(space, (input, session), label))??;
    space.base(&item.example).is_some().then_some(item)
}

/// What an agent could send, and what was answered.
fn ordinary(session: &AnySession) -> impl Iterator<Item = &Exchange> {
    let exchanges = session.reading().exchanges();
    exchanges.filter(|one| one.provenance == Provenance::Agent && one.message.is_some())
}

/// An item that a campaign made up, in the form of the author's.
fn made_up(
    space: &Space<'_>,
    (input, session): (&Input, &AnySession),
    label: &str,
) -> Option<InputItem> {
    let mut items = session.case().items.iter();
    let item = items.find(|item| &*item.label == label)?;
    // The author's own examples are what `check` is for.
    (item.variation == Some(Variation::Fuzzed)).then_some(())?;
    let item = labelled(space, input, label)?;
    let base = space.base(&item.example);
    base.is_none_or(|(_, base)| keeps_form(&item, base))
        .then(|| space.filled(&item))
}
