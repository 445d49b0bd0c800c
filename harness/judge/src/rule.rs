//! Rules and how they meet transcripts.

use crate::{ExcerptLine, Finding, Ledger, Level, Page, Provenance};
use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use stickler_reading::{Exchange, Process, Reading};
use stickler_transcript::{Case, Item, Relation, Role};

/// What a dialect makes of a transcript, so that its rules can judge it.
pub trait View {
    /// The dialect's exchanges.
    type Exchange: Borrow<Exchange>;
    /// The dialect's processes.
    type Process: Borrow<Process>;
    /// What was sent, came back and changed.
    fn reading(&self) -> &Reading<Self::Exchange, Self::Process>;
    /// The shortest lines that show what a finding is about.
    fn excerpt(&self, finding: &Finding, session: usize) -> Vec<ExcerptLine>;

    /// The case.
    fn case(&self) -> &Case {
        &self.reading().transcript.case
    }

    /// The item that an exchange (numbered from 1) is about, where it is about one.
    fn item_of(&self, exchange: usize) -> Option<&Item> {
        let mut exchanges = self.reading().exchanges.iter().map(Borrow::borrow);
        let exchange = exchanges.find(|one| one.number == exchange)?;
        self.reading().item(exchange)
    }
}

/// Sessions that are judged together.
pub struct Group<'v, V> {
    /// In what they relate.
    pub relation: Relation,
    /// Its name.
    pub name: &'v str,
    /// Role, index of the session in the run, view.
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

    /// All sessions but the baseline, with their roles.
    pub fn variants(&self) -> impl Iterator<Item = (&'v Role, usize, &'v V)> + '_ {
        self.members
            .iter()
            .filter(|member| *member.0 != Role::Baseline)
            .map(|member| (member.0, member.1, member.2))
    }
}

/// What a rule looks at.
#[derive(Clone, Copy)]
pub enum Check<V: 'static> {
    /// Each session (and its exchanges) by itself. Sessions of these relations are the ones to
    /// hold for it; whichever were held are judged.
    Session(&'static [Relation], fn(&V, &mut Ledger)),
    /// Each group of one of these relations that has a baseline and a variant.
    Group(&'static [Relation], fn(&Group<'_, V>, &mut Ledger)),
}

impl<V> Check<V> {
    /// The relations whose sessions it reads.
    pub fn relations(&self) -> &'static [Relation] {
        match self {
            Check::Session(relations, _) | Check::Group(relations, _) => relations,
        }
    }
}

/// What the findings of a rule are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matter {
    /// What the subject answered, or that it did not.
    Answer,
    /// What was done besides: effects, processes, standard error.
    Deed,
}

/// A numbered rule of a specification.
#[derive(Clone, Copy)]
pub struct Rule<V: 'static> {
    /// Its permanent code, such as `PM201`.
    pub code: &'static str,
    /// The highest level that a finding of it can have.
    pub level: Level,
    /// What its findings are about.
    pub matter: Matter,
    /// Text of the rule's source file, whose leading doc comment is the manual page.
    pub source: &'static str,
    /// How it judges.
    pub checks: &'static [Check<V>],
}

impl<V> Rule<V> {
    /// The manual page.
    pub fn page(&self) -> Page {
        Page::from_source(self.source)
    }

    /// The relations whose sessions it reads, each once and in order.
    pub fn relations(&self) -> BTreeSet<Relation> {
        let checks = self.checks.iter();
        checks.flat_map(Check::relations).copied().collect()
    }
}

/// The level of a finding on an input, by who could have sent it: on input
/// beyond agent and specification a hang is `should` at most, all else `may`.
pub fn grade(level: Level, provenance: Provenance, hang: bool) -> Level {
    match (provenance, hang) {
        (Provenance::Beyond, true) => level.min(Level::Should),
        (Provenance::Beyond, false) => Level::May,
        (Provenance::Agent | Provenance::Spec, _) => level,
    }
}

/// Lets all rules judge all sessions, several at a time. Returns one ledger a rule, in their
/// order.
pub fn judge<V: View + Sync>(rules: &[&Rule<V>], views: &[V]) -> Vec<Ledger> {
    let groups = groups(views);
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
    ledgers
        .into_iter()
        .filter_map(OnceLock::into_inner)
        .collect()
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
