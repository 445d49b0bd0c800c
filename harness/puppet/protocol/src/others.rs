//! The rows of resources that `set` was not called to change.

use crate::near::{Likeness, likeness};
use crate::phase;
use crate::rows::{Read, named, reads};
use crate::session::{Call, Session};
use crate::told::changes;
use puppet_types::{Behaviour, Definition, Value};

/// A difference between rows that must stay unchanged.
pub(crate) struct Difference {
    /// The row as it was, or as it is if there was none.
    pub row: Value,
    /// Was there no such row before?
    pub is_new: bool,
    pub in_words: String,
}

/// Calls of `set` between two reads, and what became of the rows of other resources.
pub(crate) struct Aside<'s> {
    pub set: &'s Call,
    pub definition: &'s Definition,
    /// The names that it was to change.
    pub names: Vec<Value>,
    pub differences: Vec<Difference>,
    /// The other rows that are as they were.
    pub kept: Vec<Value>,
}

impl<'s> Aside<'s> {
    /// What lies between two reads. `None` if nothing was set there, or something failed: what a failure leaves behind
    /// is another question.
    pub fn between(session: &'s Session, before: &Read<'s>, after: &Read<'s>) -> Option<Self> {
        let between = before.call.number..after.call.number;
        let sets = session.calls(phase::SET);
        let sets: Vec<_> = sets
            .map(|(set, _)| set)
            .filter(|set| between.contains(&set.number))
            .collect();
        if sets.iter().any(|set| set.fails()) {
            return None;
        }
        let names: Vec<Value> = sets
            .iter()
            .flat_map(|set| changes(set))
            .map(|(name, _)| name)
            .collect();
        let definition = before.definition;
        let differences = differences(definition, &names, before.rows(), after.rows());
        let is_kept = |row: &&Value| {
            is_other(definition, &names, row)
                && !differences
                    .iter()
                    .any(|one| is_same(definition, &one.row, row))
        };
        let kept = before.rows().iter().filter(is_kept).cloned().collect();
        Some(Aside {
            set: *sets.first()?,
            definition,
            names,
            differences,
            kept,
        })
    }

    /// How easily a row is taken for one that was to change.
    pub fn likeness(&self, row: &Value) -> Likeness {
        let all = self.names.iter();
        let all = all.map(|name| likeness(self.definition, name, row));
        all.max().unwrap_or(Likeness::Far)
    }
}

/// All reads of all rows, and what was set between one and the next.
pub(crate) fn asides(session: &Session) -> Vec<Aside<'_>> {
    let all = reads(session);
    let all = all.filter(|read| read.call.param("names").is_none_or(|names| names.is_nil()));
    between(session, &fresh(all.collect()))
}

/// What was set between reads, each and the next one.
pub(crate) fn between<'s>(session: &'s Session, all: &[Read<'s>]) -> Vec<Aside<'s>> {
    let pairs = all.windows(2).filter_map(|pair| {
        let [before, after] = pair else { return None };
        let is_pair = session.is_same_provider(before.call, after.call)
            && !session.changed_between(before.call, after.call);
        Aside::between(session, before, after).filter(|_| is_pair)
    });
    pairs.collect()
}

/// Without what an instance may only remember: it has read before, and another one since then.
fn fresh(all: Vec<Read<'_>>) -> Vec<Read<'_>> {
    let by = all
        .iter()
        .map(|read| (read.call.process, read.call.param("provider")));
    let by: Vec<_> = by.collect();
    let is_fresh = |at: usize| {
        let last = by[..at].iter().rposition(|own| *own == by[at]);
        last.is_none_or(|last| last + 1 == at)
    };
    let kept = all.into_iter().enumerate().filter(|(at, _)| is_fresh(*at));
    kept.map(|(_, read)| read).collect()
}

/// The first difference of rows, without those of the changed names.
pub(crate) fn differ(
    definition: &Definition,
    changed: &[Value],
    before: &[Value],
    after: &[Value],
) -> Option<Difference> {
    let all = differences(definition, changed, before, after);
    all.into_iter().next()
}

/// Has a row one of these names?
pub(crate) fn is_named(definition: &Definition, row: &Value, name: &Value) -> bool {
    let namevars = definition.namevars();
    match name {
        Value::Hash(_) => namevars.iter().all(|key| row.get(key) == name.get(key)),
        name => namevars.first().and_then(|key| row.get(key)) == Some(name),
    }
}

fn is_other(definition: &Definition, changed: &[Value], row: &Value) -> bool {
    let mut changed = changed.iter();
    row.as_hash().is_some() && !changed.any(|name| is_named(definition, row, name))
}

/// Are two rows of one resource?
pub(crate) fn is_same(definition: &Definition, one: &Value, other: &Value) -> bool {
    let namevars = definition.namevars();
    namevars.iter().all(|key| one.get(key) == other.get(key))
}

/// How the rows of two reads differ, without those of the changed names.
fn differences(
    definition: &Definition,
    changed: &[Value],
    before: &[Value],
    after: &[Value],
) -> Vec<Difference> {
    let is_other = |row: &&Value| is_other(definition, changed, row);
    let is_same = |one: &Value, other: &Value| is_same(definition, one, other);
    // Of two rows of a name, nobody knows which one was which: RA203 judges that.
    let is_single = |row: &&Value| {
        [before, after].into_iter().all(|rows| {
            let own = rows.iter().filter(|other| is_same(row, other));
            own.count() < 2
        })
    };
    let mut all = Vec::new();
    for row in before.iter().filter(is_other).filter(is_single) {
        let of = named(definition, row);
        let now = after.iter().find(|other| is_same(row, other));
        let in_words = match now {
            None => Some(format!("{of} is gone, but was not to change")),
            Some(now) => altered(definition, row, now, &of),
        };
        all.extend(in_words.map(|in_words| Difference {
            row: row.clone(),
            is_new: false,
            in_words,
        }));
    }
    let added = after.iter().filter(is_other).filter(is_single);
    let added = added.filter(|row| !before.iter().any(|other| is_same(row, other)));
    all.extend(added.map(|row| Difference {
        row: row.clone(),
        is_new: true,
        in_words: format!(
            "{} was created, but was not to change",
            named(definition, row)
        ),
    }));
    all
}

/// How the values of a row differ from those that it had. A row may have nil, or leave the attribute out.
fn altered(definition: &Definition, before: &Value, after: &Value, of: &str) -> Option<String> {
    let mut attributes = definition.attributes.iter();
    attributes.find_map(|attribute| {
        let value = |row: &Value| {
            row.get(&attribute.name)
                .filter(|value| !value.is_nil())
                .cloned()
        };
        let (was, is) = (value(before), value(after));
        let shown =
            |value: Option<Value>| value.map_or("nothing".to_owned(), |value| value.inspect());
        (attribute.behaviour != Behaviour::ReadOnly && was != is).then(|| {
            format!(
                "`{}` of {of} changed from {} to {}, but {of} was not to change",
                attribute.name,
                shown(was),
                shown(is)
            )
        })
    })
}
