//! A plan family: what its sessions are for, and when it has any.

use crate::capabilities::{Capabilities, Tells, Values};
use crate::effort::Effort;
use crate::plans::batch::Batch;
use crate::plans::subjects::by_itself;
use crate::setting::Setting;
use stickler_transcript::{Case, Relation};

/// A family of sessions, or of batches.
pub(super) struct Family<T> {
    /// The function that plans it, with its file.
    pub name: &'static str,
    /// The relations of its sessions. The family runs if a rule of the dialect reads one of them. What is
    /// compared with no other has the first.
    pub relations: &'static [Relation],
    /// What the subject has to be capable of.
    pub needs: fn(Capabilities) -> bool,
    /// The least effort with which it runs.
    pub from: Effort,
    /// Plans the sessions, as far as the run knows enough about the subject.
    pub plan: fn(&Setting<'_>, Effort) -> Vec<T>,
}

/// Any subject will do.
pub(super) const ANY: fn(Capabilities) -> bool = |_| true;
/// One process may get several items.
pub(super) const MANY: fn(Capabilities) -> bool = |can| can.many_items;
/// The subject tells whether an item is valid.
pub(super) const VALIDATES: fn(Capabilities) -> bool = |can| can.tells == Tells::Validity;
/// The subject tells whether one of several items is valid.
pub(super) const VALIDATES_MANY: fn(Capabilities) -> bool = |can| VALIDATES(can) && MANY(can);
/// A process gets few items, or nobody tells whether those are valid that the suite makes up.
pub(super) const VALIDATES_FEW: fn(Capabilities) -> bool = |can| !VALIDATES_MANY(can);
/// Fields have no types of their own.
pub(super) const UNTYPED: fn(Capabilities) -> bool = |can| can.values != Values::Typed;
/// Fields have types.
pub(super) const TYPED: fn(Capabilities) -> bool = |can| !UNTYPED(can);
/// Fields have no types, and one process may get several items.
pub(super) const UNTYPED_MANY: fn(Capabilities) -> bool = |can| UNTYPED(can) && MANY(can);
/// Fields have types, and one process may get several items.
pub(super) const TYPED_MANY: fn(Capabilities) -> bool = |can| TYPED(can) && MANY(can);

impl<T> Family<T> {
    /// Does a rule read it, and is the subject capable of it?
    fn serves(&self, setting: &Setting<'_>) -> bool {
        let is_read = |relation| setting.read.contains(relation);
        self.relations.iter().any(is_read) && (self.needs)(setting.capabilities())
    }

    /// What the families of a table plan.
    fn all(
        table: &[Family<T>],
        setting: &Setting<'_>,
        effort: Effort,
    ) -> impl Iterator<Item = (Relation, T)> {
        let chosen = table
            .iter()
            .filter(move |one| effort >= one.from && one.serves(setting));
        chosen.flat_map(move |one| {
            let planned = (one.plan)(setting, effort).into_iter();
            planned.map(|planned| (one.relations[0], planned))
        })
    }
}

/// The sessions of the families in a table.
pub(super) fn cases(table: &[Family<Case>], setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let all = Family::all(table, setting, effort);
    all.map(|(relation, mut case)| {
        by_itself(relation, &mut case);
        case
    })
    .collect()
}

/// The batches of the families in a table.
pub(super) fn batches(
    table: &[Family<Batch>],
    setting: &Setting<'_>,
    effort: Effort,
) -> Vec<Batch> {
    Family::all(table, setting, effort)
        .map(|(_, batch)| batch)
        .collect()
}
