//! Rules, and what they read.

use crate::{ExcerptLine, Finding, Ledger, Level, Page};
use std::borrow::Borrow;
use std::collections::BTreeSet;
use stickler_reading::{Exchange, Process, Reading};
use stickler_transcript::{Case, Fate, Item, Key, Name, Relation, Role};

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

    /// What the subject claims about its items, in the order of the exchanges.
    fn claims(&self) -> Vec<Claim>;

    /// What it claims where it was only to say what it would change: `Changed` means that it would change
    /// something.
    fn forecasts(&self) -> Vec<Claim> {
        self.claims()
    }

    /// The case.
    fn case(&self) -> &Case {
        &self.reading().transcript.case
    }

    /// Does it evaluate examples as they are?
    fn is_usual(&self) -> bool {
        let mut groups = self.case().groups.iter();
        groups.any(|member| member.relation == Relation::Usual)
    }

    /// Does it only serve comparisons? Then no rule judges it alone.
    fn is_only_compared(&self) -> bool {
        false
    }

    /// What was missing on this machine by an exchange, so that what the subject did there says nothing about it.
    fn lack(&self, _exchange: usize) -> Option<String> {
        None
    }

    /// The item of an exchange (numbered from 1), if it is about one.
    fn item_of(&self, exchange: usize) -> Option<&Item> {
        let mut exchanges = self.reading().exchanges.iter().map(Borrow::borrow);
        let exchange = exchanges.find(|one| one.number == exchange)?;
        self.reading().item(exchange)
    }
}

/// What a subject claims about an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The number of the exchange.
    pub exchange: usize,
    /// The key of what was asked.
    pub key: Key,
    /// The label of the item.
    pub item: Name,
    /// What it claims.
    pub fate: Fate,
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
    /// Codes of rules whose findings explain findings of this rule about the same item of a session.
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
