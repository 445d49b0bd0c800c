//! Rules, and how they are applied to transcripts.

use crate::presumed::withdraw;
use crate::{ExcerptLine, Finding, Ledger, Level, Page, Provenance};
use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use stickler_reading::{Exchange, Process, Reading};
use stickler_transcript::{Case, Item, Relation, Role};

/// A transcript as a dialect reads it for its rules.
pub trait View {
    /// The dialect's exchanges.
    type Exchange: Borrow<Exchange>;
    /// The dialect's processes.
    type Process: Borrow<Process>;
    /// The messages, the answers and the changes.
    fn reading(&self) -> &Reading<Self::Exchange, Self::Process>;
    /// The shortest excerpt that shows a finding.
    fn excerpt(&self, finding: &Finding, session: usize) -> Vec<ExcerptLine>;

    /// The case.
    fn case(&self) -> &Case {
        &self.reading().transcript.case
    }

    /// The item of an exchange (numbered from 1), if it is about one.
    fn item_of(&self, exchange: usize) -> Option<&Item> {
        let mut exchanges = self.reading().exchanges.iter().map(Borrow::borrow);
        let exchange = exchanges.find(|one| one.number == exchange)?;
        self.reading().item(exchange)
    }
}

/// Sessions that are judged together.
pub struct Group<'v, V> {
    /// How they are related.
    pub relation: Relation,
    /// Its name.
    pub name: &'v str,
    /// The role, the index of the session in the run, and the view.
    pub members: Vec<(&'v Role, usize, &'v V)>,
}

impl<'v, V> Group<'v, V> {
    /// The session to compare with.
    pub fn baseline(&self) -> Option<(usize, &'v V)> {
        self.role(Role::Baseline).next()
    }

    /// The sessions in a role.
    pub fn role(&self, role: Role) -> impl Iterator<Item = (usize, &'v V)> + '_ {
        self.members
            .iter()
            .filter(move |member| *member.0 == role)
            .map(|member| (member.1, member.2))
    }

    /// All sessions except the baseline, with their roles.
    pub fn variants(&self) -> impl Iterator<Item = (&'v Role, usize, &'v V)> + '_ {
        self.members
            .iter()
            .filter(|member| *member.0 != Role::Baseline)
            .map(|member| (member.0, member.1, member.2))
    }
}

/// What a rule judges.
#[derive(Clone, Copy)]
pub enum Check<V: 'static> {
    /// Each session and its exchanges independently. A run includes sessions of these relations for
    /// it, but it judges all sessions of the run.
    Session(&'static [Relation], fn(&V, &mut Ledger)),
    /// Each group with one of these relations that has a baseline and a variant.
    Group(&'static [Relation], fn(&Group<'_, V>, &mut Ledger)),
}

impl<V> Check<V> {
    /// The relations whose sessions it needs.
    pub fn relations(&self) -> &'static [Relation] {
        match self {
            Check::Session(relations, _) | Check::Group(relations, _) => relations,
        }
    }
}

/// The subject matter of a rule's findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matter {
    /// The answers of the subject, or their absence.
    Answer,
    /// Everything else that the subject did: effects, processes, standard error.
    Deed,
}

/// What a rule needs before it can judge anything. The dialect knows whether it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// Its name.
    pub name: &'static str,
    /// What to say if it is not there. The same reason has the same text, so that reports can group it.
    pub lacking: &'static str,
}

/// A numbered rule of a specification.
#[derive(Clone, Copy)]
pub struct Rule<V: 'static> {
    /// Its permanent code, such as `PM201`.
    pub code: &'static str,
    /// The highest level of its findings.
    pub level: Level,
    /// The subject matter of its findings.
    pub matter: Matter,
    /// The source text of the rule's file; its leading doc comment is the manual page.
    pub source: &'static str,
    /// How it judges.
    pub checks: &'static [Check<V>],
    /// Codes of rules whose findings explain findings of this rule in the same sessions.
    pub explained_by: &'static [&'static str],
    /// Codes of rules without which this one can say nothing of an example: it judges what a
    /// variation makes of behaviour that these rules require of the usual evaluation.
    pub presumes: &'static [&'static str],
    /// What it needs, the most basic need first.
    pub needs: &'static [Need],
    /// Why nothing exercises it although its needs are met, if it can tell.
    pub silent: Option<&'static str>,
}

impl<V> Rule<V> {
    /// The manual page.
    pub fn page(&self) -> Page {
        Page::from_source(self.source).presuming(self.presumes)
    }

    /// The relations whose sessions it needs, sorted, without duplicates.
    pub fn relations(&self) -> BTreeSet<Relation> {
        let checks = self.checks.iter();
        checks.flat_map(Check::relations).copied().collect()
    }
}

/// The level of a finding by who could send the input. If neither agent nor specification could, a
/// hang is at most `should`, and everything else is `may`.
pub fn grade(level: Level, provenance: Provenance, hang: bool) -> Level {
    match (provenance, hang) {
        (Provenance::Beyond, true) => level.min(Level::Should),
        (Provenance::Beyond, false) => Level::May,
        (Provenance::Agent | Provenance::Spec, _) => level,
    }
}

/// Applies all rules to all sessions, several in parallel. Returns one ledger per rule, in the
/// order of the rules.
pub fn judge<V: View + Sync>(rules: &[&Rule<V>], views: &[V]) -> Vec<Ledger> {
    judge_part(rules, views, |_| true)
}

/// Like [`judge`], but without the groups whose names are not wanted: some of their sessions may
/// still be missing.
pub fn judge_part<V: View + Sync>(
    rules: &[&Rule<V>],
    views: &[V],
    wanted: impl Fn(&str) -> bool,
) -> Vec<Ledger> {
    let mut groups = groups(views);
    groups.retain(|group| wanted(group.name));
    let ledgers: Vec<OnceLock<Ledger>> = rules.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some(rule) = rules.get(at)
        {
            ledgers[at].get_or_init(|| judged(rule, views, &groups));
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        for _ in 1..threads.min(rules.len()) {
            scope.spawn(work);
        }
        work();
    });
    let ledgers = ledgers.into_iter();
    let mut ledgers: Vec<Ledger> = ledgers.filter_map(OnceLock::into_inner).collect();
    withdraw(rules, &mut ledgers, views);
    ledgers
}

/// Applies the rules that need no other session to one session. Returns one ledger per rule, in the
/// order of the rules.
pub fn judge_alone<V: View>(rules: &[&Rule<V>], view: &V) -> Vec<Ledger> {
    let judge = |rule: &&Rule<V>| {
        let mut ledger = Ledger::new(rule.level);
        for check in rule.checks {
            if let Check::Session(_, check) = check {
                check(view, &mut ledger);
            }
        }
        ledger
    };
    rules.iter().map(judge).collect()
}

fn judged<V: View>(rule: &Rule<V>, views: &[V], groups: &[Group<'_, V>]) -> Ledger {
    let mut ledger = Ledger::new(rule.level);
    for check in rule.checks {
        match check {
            Check::Session(_, check) => {
                for (index, view) in views.iter().enumerate() {
                    ledger.enter(index);
                    check(view, &mut ledger);
                }
            }
            Check::Group(relations, check) => {
                for group in groups {
                    if let Some((baseline, _)) = group.baseline()
                        && relations.contains(&group.relation)
                        && group.variants().next().is_some()
                    {
                        ledger.enter(baseline);
                        check(group, &mut ledger);
                    }
                }
            }
        }
    }
    ledger
}

fn groups<V: View>(views: &[V]) -> Vec<Group<'_, V>> {
    let mut groups: BTreeMap<(Relation, &str), Group<'_, V>> = BTreeMap::new();
    for (index, view) in views.iter().enumerate() {
        for membership in &view.case().groups {
            groups
                .entry((membership.relation, &membership.group))
                .or_insert_with(|| Group {
                    relation: membership.relation,
                    name: &membership.group,
                    members: Vec::new(),
                })
                .members
                .push((&membership.role, index, view));
        }
    }
    groups.into_values().collect()
}
