//! `-k` and `--last-failed`: some of the sessions, with those that they are compared with.

mod words;

pub use words::{Words, WordsError};

use crate::dialect::Planned;
use std::collections::BTreeSet;
use stickler_transcript::Case;

/// Which sessions of the suite run.
#[derive(Clone, Debug)]
pub enum Filter {
    /// Those whose name, relation or example the words choose.
    Words(Words),
    /// Those with these names.
    Cases(BTreeSet<String>),
}

impl Filter {
    /// The chosen sessions, and the references of their groups.
    pub(crate) fn chosen(&self, planned: Vec<Planned>) -> Vec<Planned> {
        let chosen: Vec<bool> = planned.iter().map(|one| self.chooses(one)).collect();
        let groups: BTreeSet<String> = planned
            .iter()
            .zip(&chosen)
            .filter(|(_, chosen)| **chosen)
            .flat_map(|(one, _)| one.groups())
            .collect();
        let is_needed = |one: &Planned| {
            one.members()
                .iter()
                .any(|member| member.role.is_reference() && groups.contains(&member.group))
        };
        planned
            .into_iter()
            .zip(chosen)
            .filter(|(one, chosen)| *chosen || is_needed(one))
            .map(|(one, _)| one)
            .collect()
    }

    /// Is a session one of these?
    pub(crate) fn chooses(&self, planned: &Planned) -> bool {
        match self {
            Filter::Words(words) => words.choose(&named(planned)),
            Filter::Cases(ids) => match planned {
                Planned::Case(case) => ids.contains(&case.id),
                // A batch that a death divided has several sessions.
                Planned::Batch(batch) => ids.iter().any(|id| {
                    let rest = id.strip_prefix(&batch.id[..]);
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                }),
            },
        }
    }
}

/// The names by which a session is found.
fn named(planned: &Planned) -> Vec<String> {
    let mut names: Vec<String> = match planned {
        Planned::Case(case) => names(case),
        Planned::Batch(batch) => vec![batch.id.clone(), batch.origin.info.example.clone()],
    };
    let relations = planned.relations().into_iter();
    names.extend(relations.map(|relation| relation.to_string()));
    names
}

fn names(case: &Case) -> Vec<String> {
    let examples = case.items.iter().map(|item| item.example.clone());
    std::iter::once(case.id.clone()).chain(examples).collect()
}
