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
    /// The chosen sessions, and what they are compared with: the references of their groups, and those of the groups of
    /// these references, since rules judge them in all of their groups.
    pub(crate) fn chosen(&self, planned: Vec<Planned>) -> Vec<Planned> {
        let chosen: Vec<bool> = planned.iter().map(|one| self.chooses(one)).collect();
        let members: Vec<Vec<(String, bool)>> = planned
            .iter()
            .map(|one| {
                let members = one.members().iter();
                let members =
                    members.map(|member| (member.group.clone(), member.role.is_reference()));
                members.collect()
            })
            .collect();
        let groups: Vec<Vec<String>> = planned.iter().map(Planned::groups).collect();
        let needed = with_references(chosen, &groups, &members);
        let needed = planned.into_iter().zip(needed);
        needed
            .filter_map(|(one, needed)| needed.then_some(one))
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

/// What is chosen, with all references of the groups in which anything is that runs.
fn with_references(
    mut runs: Vec<bool>,
    groups: &[Vec<String>],
    members: &[Vec<(String, bool)>],
) -> Vec<bool> {
    loop {
        let compared: BTreeSet<&str> = groups
            .iter()
            .zip(&runs)
            .filter(|(_, runs)| **runs)
            .flat_map(|(groups, _)| groups.iter().map(String::as_str))
            .collect();
        let is_needed = |members: &[(String, bool)]| {
            let mut members = members.iter();
            members.any(|(group, is_reference)| *is_reference && compared.contains(&**group))
        };
        let all: Vec<bool> = members
            .iter()
            .zip(&runs)
            .map(|(members, runs)| *runs || is_needed(members))
            .collect();
        if all == runs {
            return runs;
        }
        runs = all;
    }
}

#[cfg(test)]
mod tests {
    use super::with_references;

    #[test]
    fn a_reference_brings_the_references_of_its_other_groups() {
        let plan: [&[(&str, bool)]; 5] = [
            &[("restart", false)],
            // It runs as a reference of the first one, and is compared with others, too.
            &[("restart", true), ("alone", false)],
            &[("alone", true)],
            &[("alone", true), ("kept", false)],
            &[("alone", false)],
        ];
        let members: Vec<Vec<(String, bool)>> = plan
            .iter()
            .map(|one| {
                let members = one.iter();
                members
                    .map(|(group, role)| ((*group).to_owned(), *role))
                    .collect()
            })
            .collect();
        let groups: Vec<Vec<String>> = members
            .iter()
            .map(|one| one.iter().map(|(group, _)| group.clone()).collect())
            .collect();
        let chosen = vec![true, false, false, false, false];
        let runs = with_references(chosen, &groups, &members);
        assert_eq!(runs, [true, true, true, true, false]);
    }
}
