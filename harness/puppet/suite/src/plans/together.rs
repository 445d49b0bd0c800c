//! Several resources in one call of `set`: two that work, a removal before one that is made, and one that fails
//! before one that works. The second is the first under another name, or another example.

use crate::altered::removal;
use crate::deferred::Deferred;
use crate::requests::{ask, deferred, look, renew};
use crate::resource;
use crate::shown::Shown;
use crate::site::Site;
use crate::twins::{namevars, twin, with_other_values};
use puppet_protocol::{phase, purpose};
use puppet_types::{Definition, Value};
use stickler_suite::plans::subjects;
use stickler_suite::{Ask, Effort, Instance, Setting};
use stickler_transcript::{Case, Provenance, Purpose};

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let all = subjects(setting, effort);
    let mut cases = Vec::new();
    for item in all.iter().filter(|item| shown.creates(&item.info.label)) {
        // One that wants something else shows which target was used for which resource.
        let other = with_other_values(shown, item).into_iter().next();
        let Some(twin) = other.or_else(|| twin(shown, item)) else {
            continue;
        };
        cases.extend(case(shown, setting, purpose::TWINS, None, item, &twin));
        // A removal may end the work on what comes after it.
        let gone = shown
            .definition(&item.kind)
            .and_then(|own| removal(&own, item, 0));
        cases.extend(
            gone.and_then(|gone| case(shown, setting, purpose::TWINS, Some(item), &gone, &twin)),
        );
        let is_beside = |bad: &Instance| bad.kind == item.kind && bad.target == item.target;
        let bad = all.iter().filter(|bad| shown.fails(&bad.info.label));
        // What Puppet refuses itself never comes to `set`.
        let mut bad = bad.cloned().chain(invalid(setting));
        if let Some(bad) = bad.find(is_beside) {
            cases.extend(case(shown, setting, purpose::BESIDE, None, &bad, &twin));
        }
    }
    cases.extend(beside_invalid(shown, setting, &all));
    cases.extend(
        neighbours(shown, &all)
            .and_then(|(one, other)| case(shown, setting, purpose::TWINS, None, one, other)),
    );
    cases
}

/// The resources that are declared invalid.
fn invalid<'s>(setting: &'s Setting<'s>) -> impl Iterator<Item = Instance> + 's {
    (0..setting.config.invalid.len()).map(|index| setting.invalid(index))
}

/// Where no example makes anything: one that updates something, after a resource that is declared invalid.
fn beside_invalid(shown: &Shown, setting: &Setting<'_>, all: &[Instance]) -> Option<Case> {
    let known = setting.knowledge;
    if all.iter().any(|item| shown.creates(&item.info.label)) {
        return None;
    }
    let pairs = invalid(setting).flat_map(|bad| all.iter().map(move |item| (bad.clone(), item)));
    let mut pairs = pairs.filter(|(bad, item)| {
        let definition = shown.definition(&item.kind);
        let is_other = |own: &Definition| namevars(own, bad) != namevars(own, item);
        known.repaired.contains(&item.info.label)
            && bad.kind == item.kind
            && bad.target == item.target
            && definition.is_some_and(|own| is_other(&own))
    });
    let (bad, item) = pairs.next()?;
    case(shown, setting, purpose::BESIDE, None, &bad, item)
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

/// What is made `before`; both at once; then each alone, in case that it was not set, and once more, to see that this
/// is enough.
fn case(
    shown: &Shown,
    setting: &Setting<'_>,
    purpose: Purpose,
    before: Option<&Instance>,
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
    if let Some(before) = before {
        case.evaluate(before);
    }
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
    if let Some(definition) = shown.definition(&other.kind) {
        // The look makes only the one canonical that it is about.
        if definition.has_feature("canonicalize") && !one.info.invalid {
            let target = resource::target(&definition, one);
            let resources = Value::hash([("resources", Value::Array(vec![target]))]);
            let key = key.part(purpose::CANONICAL);
            let send = ask(&case, phase::CANONICALIZE, key, other, resources);
            case.send(send);
        }
        let key = key.part(purpose::AFTERWARDS);
        look(shown, &mut case, key, other, &definition);
    }
    for item in [one, other] {
        if shown.fails(&item.info.label) || item.info.invalid {
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
