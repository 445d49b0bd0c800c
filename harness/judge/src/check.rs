//! How rules judge.

use crate::{AnySession, Ledger, View};
use stickler_transcript::{Relation, Role};

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

impl<'v> Group<'v, AnySession> {
    /// The group as a dialect reads its sessions.
    fn typed<V: View>(&self) -> Group<'v, V> {
        let members = self.members.iter();
        Group {
            relation: self.relation,
            name: self.name,
            members: members
                .map(|(role, index, view)| (*role, *index, view.typed()))
                .collect(),
        }
    }
}

/// What a rule judges.
#[derive(Clone, Copy)]
pub enum Check<V: 'static> {
    /// Each session and its exchanges independently. A run includes sessions of these relations for
    /// it, but it judges all sessions of the run. Without relations, it judges what others need.
    Session(&'static [Relation], fn(&V, &mut Ledger)),
    /// Each group with one of these relations that has a baseline and a variant.
    Group(&'static [Relation], fn(&Group<'_, V>, &mut Ledger)),
}

/// The checks of a rule, whichever dialect's sessions they judge.
pub trait Checks: Sync {
    /// The relations that each of them needs, and whether it compares sessions of a group.
    fn needs(&self) -> Vec<(&'static [Relation], bool)>;

    /// Judges sessions and groups.
    fn judge(&self, views: &[AnySession], groups: &[Group<'_, AnySession>], ledger: &mut Ledger);
}

impl<V: View> Checks for &'static [Check<V>] {
    fn needs(&self) -> Vec<(&'static [Relation], bool)> {
        let needs = self.iter().map(|check| match check {
            Check::Session(relations, _) => (*relations, false),
            Check::Group(relations, _) => (*relations, true),
        });
        needs.collect()
    }

    fn judge(&self, views: &[AnySession], groups: &[Group<'_, AnySession>], ledger: &mut Ledger) {
        for check in *self {
            match check {
                Check::Session(_, check) => {
                    let all = views.iter().enumerate();
                    for (index, view) in all.filter(|(_, view)| !view.is_only_compared()) {
                        ledger.enter(index);
                        check(view.typed(), ledger);
                    }
                }
                Check::Group(relations, check) => {
                    for group in groups {
                        if let Some((baseline, _)) = group.baseline()
                            && relations.contains(&group.relation)
                            && group.variants().next().is_some()
                        {
                            ledger.enter(baseline);
                            check(&group.typed(), ledger);
                        }
                    }
                }
            }
        }
    }
}
