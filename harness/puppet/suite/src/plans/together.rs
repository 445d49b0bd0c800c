//! Several resources in one call of `set`: two that work, and one that fails before one that works. The second
//! is the first under another name, or another example.

use crate::deferred::Deferred;
use crate::requests::{deferred, look, renew};
use crate::resource;
use crate::shown::Shown;
use crate::site::Site;
use puppet_protocol::{phase, purpose};
use puppet_types::{Definition, Type, Value};
use stickler_suite::plans::subjects;
use stickler_suite::{Ask, Effort, Instance, Setting};
use stickler_transcript::{Case, Provenance, Purpose, Variation};

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let all = subjects(setting, effort);
    let mut cases = Vec::new();
    for item in all.iter().filter(|item| shown.creates(&item.info.label)) {
        let Some(twin) = twin(shown, item) else {
            continue;
        };
        cases.extend(case(shown, setting, purpose::TWINS, item, &twin));
        let is_beside = |bad: &&Instance| bad.kind == item.kind && bad.target == item.target;
        let mut bad = all.iter().filter(|bad| shown.fails(&bad.info.label));
        if let Some(bad) = bad.find(is_beside) {
            cases.extend(case(shown, setting, purpose::BESIDE, bad, &twin));
        }
    }
    cases.extend(
        neighbours(shown, &all)
            .and_then(|(one, other)| case(shown, setting, purpose::TWINS, one, other)),
    );
    cases
}

/// The first two examples of a type that ask for different resources, in the same world.
fn neighbours<'i>(shown: &Shown, all: &'i [Instance]) -> Option<(&'i Instance, &'i Instance)> {
    // After a removal, its neighbour may have no place.
    let remains = |item: &&Instance| {
        let definition = shown.definition(&item.kind);
        let ensure = definition.and_then(|own| {
            resource::target(&own, item)
                .get("ensure")
                .map(Value::to_text)
        });
        ensure.is_none_or(|ensure| ensure != "absent") && !shown.fails(&item.info.label)
    };
    let able: Vec<&Instance> = all.iter().filter(remains).collect();
    able.iter().enumerate().find_map(|(at, one)| {
        let fits = |other: &&&Instance| {
            let is_alike =
                one.kind == other.kind && one.target == other.target && one.setup == other.setup;
            let definition = shown.definition(&one.kind);
            is_alike && definition.is_some_and(|own| namevars(&own, one) != namevars(&own, other))
        };
        able[at + 1..].iter().find(fits).map(|other| (*one, *other))
    })
}

fn namevars(definition: &Definition, item: &Instance) -> Vec<Option<Value>> {
    let target = resource::target(definition, item);
    let own = definition.namevars();
    own.iter().map(|name| target.get(name).cloned()).collect()
}

/// The same resource under another name, if its type admits one.
pub(super) fn twin(shown: &Shown, item: &Instance) -> Option<Instance> {
    twins(shown, item).next()
}

/// The same resource under other names. If there are several namevars, one alone is another in each but the
/// first, as far as titles give them.
pub(super) fn twins(shown: &Shown, item: &Instance) -> impl Iterator<Item = Instance> {
    let mut found: Vec<(Vec<bool>, Instance)> = Vec::new();
    if let Some(definition) = shown.definition(&item.kind) {
        let own = namevars(&definition, item);
        for twin in renamed(&definition, item) {
            let target = resource::target(&definition, &twin);
            if !resource::is_admitted(&definition, &twin, &target) {
                continue;
            }
            let other = namevars(&definition, &twin).into_iter().zip(&own);
            let differs: Vec<bool> = other.map(|(other, own)| other != *own).collect();
            let count = differs.iter().filter(|differs| **differs).count();
            let is_new = found.is_empty()
                || count == 1 && own.len() > 1 && found.iter().all(|(known, _)| *known != differs);
            if count > 0 && is_new {
                found.push((differs, twin));
            }
        }
    }
    found.into_iter().map(|(_, twin)| twin)
}

/// The item under other titles: with something more at the end, near the start, at the start, then
/// anywhere, as titles may have several parts; and with other words of an `Enum`.
fn renamed(definition: &Definition, item: &Instance) -> impl Iterator<Item = Instance> {
    let title = String::from_utf8_lossy(item.name()).into_owned();
    let inner = title.char_indices().map(|(at, _)| at).skip(1);
    let second = inner.clone().next().unwrap_or(title.len());
    let places = [title.len(), second, 0].into_iter().chain(inner);
    let places: Vec<usize> = places.collect();
    let mut names = Vec::new();
    for more in ["2", "b", "x"] {
        names.extend(places.iter().map(|at| {
            let (start, end) = title.split_at(*at);
            format!("{start}{more}{end}")
        }));
    }
    let target = resource::target(definition, item);
    for name in definition.namevars() {
        let own = definition
            .attribute(name)
            .and_then(|one| one.data_type.as_ref());
        if let (Some(Type::Enum { values, .. }), Some(Value::String(own))) = (own, target.get(name))
        {
            names.extend(values.iter().map(|other| title.replace(&**own, other)));
        }
    }
    names.into_iter().map(|name| {
        let words = format!("called \"{name}\"");
        let mut twin = item.altered(Variation::Near, ":twin", words);
        twin.set_name(name);
        twin
    })
}

/// Both at once; then each alone, in case that it was not set, and once more, to see that this
/// is enough.
fn case(
    shown: &Shown,
    setting: &Setting<'_>,
    purpose: Purpose,
    one: &Instance,
    other: &Instance,
) -> Option<Case> {
    let mut case = setting.case(format!(
        "{}/{}+{}",
        purpose.text(),
        one.info.label,
        other.info.label
    ));
    case.setup(one).set_up_once(other).observing().open();
    case.provide(other);
    let mut evaluations = Vec::new();
    for item in [one, other] {
        evaluations.push(shown.evaluation(&mut case, &purpose.into(), item, false)?);
    }
    let key = purpose.of(&other.info.label);
    let open = Site::from(other).open_key();
    let mut send = deferred(
        &case,
        phase::SET,
        key.clone(),
        open,
        Deferred::Together(evaluations),
    );
    send.item = Some(other.info.label.clone());
    send.provenance = Provenance::Spec;
    case.send(send);
    look(&mut case, key.part(purpose::AFTERWARDS), other);
    for item in [one, other] {
        if shown.fails(&item.info.label) {
            continue;
        }
        for purpose in [purpose::ALONE, purpose::SETTLED] {
            // An instance may remember what it has read.
            renew(&mut case, item);
            let ask_for = Ask {
                key: purpose.of(&item.info.label),
                item,
                requires: None,
            };
            shown.attempt(&mut case, ask_for, None, &mut |_| {});
        }
    }
    Some(case.terminate().build())
}
