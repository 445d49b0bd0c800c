//! The plan families that only one dialect has.

use crate::effort::Effort;
use crate::plans::by_itself;
use crate::setting::Setting;
use stickler_transcript::{Case, Relation};

/// A plan family of a dialect that knows `K` about the subject.
pub struct OwnFamily<K: 'static> {
    /// The relations of its sessions. What is compared with no other has the first.
    pub relations: &'static [Relation],
    /// Plans the sessions, as far as the run knows enough about the subject.
    pub plan: fn(&K, &Setting<'_>, Effort) -> Vec<Case>,
}

/// A table of families, a line for each: the relations of its sessions, and what plans them.
#[macro_export]
macro_rules! own_families {
    ($($first:path $(, $more:path)* => $plan:expr;)*) => {
        &[$($crate::plans::OwnFamily { relations: &[$first $(, $more)*], plan: $plan }),*]
    };
}

/// The sessions of the families in a table.
pub fn own<K>(
    table: &[OwnFamily<K>],
    known: &K,
    setting: &Setting<'_>,
    effort: Effort,
) -> Vec<Case> {
    let all = table.iter().flat_map(|family| {
        let cases = (family.plan)(known, setting, effort).into_iter();
        cases.map(|mut case| {
            by_itself(family.relations[0], &mut case);
            case
        })
    });
    all.collect()
}

/// The relations of a table's families.
pub fn relations_of<K>(table: &[OwnFamily<K>]) -> impl Iterator<Item = Relation> {
    table.iter().flat_map(|family| family.relations).copied()
}
