//! Changes that the specification allows, and no deployed runtime makes: without `:should`, without
//! `:is`, none at all; updates of what is set at creation; changes that are only looked at.

use crate::altered::{removal, values};
use crate::deferred::{Encoded, Form, Is};
use crate::requests::{ask, open};
use crate::resource;
use crate::secret::holds_secrets;
use crate::shown::Shown;
use puppet_protocol::{phase, purpose};
use puppet_types::generate::others;
use puppet_types::{Attribute, Behaviour, Dice, Value};
use stickler_suite::plans::subjects;
use stickler_suite::{Ask, CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Key, Provenance, Purpose, Variation};

/// So many attributes that nothing may change are tried of each example.
const FIXED: usize = 4;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let changed = |item: &Instance| setting.knowledge.repaired.contains(&item.info.label);
    let items = subjects(setting, effort).into_iter().filter(changed);
    items
        .flat_map(|item| {
            [
                Some(removed(shown, setting, &item)),
                Some(unknown(shown, setting, &item)),
                Some(nil(shown, setting, &item)),
                Some(none(setting, &item)),
                kept(shown, setting, &item),
                fixed(shown, setting, &item),
                looked_at(shown, setting, &item),
            ]
        })
        .flatten()
        .collect()
}

/// A resource is updated by a target without the attributes that are set at creation alone.
fn kept(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Option<Case> {
    let definition = shown.definition(&item.kind)?;
    let fixed = definition.attributes.iter();
    // Without one that has a default, the target has that default.
    let fixed = fixed.filter(|one| one.behaviour == Behaviour::InitOnly && one.default.is_none());
    let given = |name: &str| {
        item.attributes
            .iter()
            .any(|(own, _)| own == name.as_bytes())
    };
    let fixed: Vec<&str> = fixed
        .map(|one| &*one.name)
        .filter(|name| given(name))
        .collect();
    let first = fixed.first()?;
    let words = format!("without \"{first}\"");
    let mut changed = item.variant(Variation::Drop, first, "", words);
    for name in &fixed {
        changed.remove(name);
    }
    let mut case = setting.case(format!("kept/{}", item.info.label));
    case.setup(item)
        .observing()
        .open()
        .evaluate(item)
        .provide(&changed);
    attempt(
        shown,
        &mut case,
        &changed,
        purpose::KEPT,
        Some(form(Is::Row, true)),
    );
    Some(case.terminate().build())
}

/// A resource that was made gets other values of what is set at creation alone. The specification leaves it to
/// runtimes to refuse them, and not every runtime does.
fn fixed(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Option<Case> {
    let definition = shown.definition(&item.kind)?;
    let target = resource::target(&definition, item);
    let mut dice = Dice::new(setting.seed, &format!("fixed {}", item.kind));
    let mut other = |attribute: &Attribute, not: &Value| {
        let own = attribute.data_type.as_ref();
        let own = own.filter(|own| !holds_secrets(own))?;
        let plain = [Value::integer(4711), Value::string("stickler")].into_iter();
        let plain = plain.filter(|value| own.matches(value).is_yes());
        let others = others(own, Some(not), &mut dice)
            .into_iter()
            .map(|other| other.value);
        let mut all = plain.chain(others);
        all.find(|value| is_telling(value) && value != not)
    };
    let mut made = item.clone();
    let mut forms = Vec::new();
    for attribute in &definition.attributes {
        let name = &attribute.name;
        if attribute.behaviour != Behaviour::InitOnly {
            continue;
        }
        let mut given = target.get(name).cloned();
        if given.is_none() && shown.creates(&item.info.label) {
            let all = values(setting, &definition, &made, attribute);
            made = all.into_iter().next().unwrap_or(made);
            given = resource::target(&definition, &made).get(name).cloned();
        }
        let value = given.and_then(|given| other(attribute, &given));
        let more = value.map(|value| vec![(name.clone(), Encoded(value))]);
        forms.extend(more.map(|more| Form {
            more,
            ..form(Is::Row, true)
        }));
    }
    if forms.is_empty() {
        return None;
    }
    let mut case = setting.case(format!("fixed/{}", item.info.label));
    case.setup(item).observing().open().evaluate(&made);
    for (number, form) in forms.into_iter().take(FIXED).enumerate() {
        let key = purpose::KEPT.part(&number.to_string());
        attempt(shown, &mut case, &made, key, Some(form));
    }
    Some(case.terminate().build())
}

/// Can a value hardly be there by chance?
fn is_telling(value: &Value) -> bool {
    match value {
        Value::Integer(_) => value.to_text().len() > 3,
        Value::Float(_) | Value::Bool(_) => false,
        Value::Array(all) => !all.is_empty(),
        Value::Hash(all) => !all.is_empty(),
        value => !value.to_text().is_empty(),
    }
}

/// A resource is only read, and then set.
fn looked_at(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Option<Case> {
    let definition = shown.definition(&item.kind)?;
    if !definition.has_feature("supports_noop") {
        return None;
    }
    let mut case = setting.case(format!("noop/{}", item.info.label));
    case.setup(item).observing().open();
    attempt(shown, &mut case, &item.looked_at(), purpose::NOOP, None);
    Some(case.evaluate(item).terminate().build())
}

fn attempt(
    shown: &Shown,
    case: &mut CaseBuilder<'_>,
    item: &Instance,
    key: impl Into<Key>,
    form: Option<Form>,
) {
    let ask = Ask {
        key: key.into().of(&item.info.label),
        item,
        requires: None,
    };
    shown.attempt(case, ask, form, &mut |send| {
        send.provenance = send.provenance.max(Provenance::Spec);
    });
}

fn form(is: Is, should: bool) -> Form {
    let more = Vec::new();
    Form { is, should, more }
}

/// A resource that was made is removed by a change without `:should`. If it is still there, in the
/// usual way.
fn removed(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("removed/{}", item.info.label));
    case.setup(item).observing().open().evaluate(item);
    let definition = shown.definition(&item.kind);
    // First with `noop`, where the type has it.
    let has_noop = definition
        .as_ref()
        .is_some_and(|own| own.has_feature("supports_noop"));
    if has_noop {
        attempt(
            shown,
            &mut case,
            &item.looked_at(),
            purpose::KEPT,
            Some(form(Is::Row, false)),
        );
    }
    attempt(
        shown,
        &mut case,
        item,
        Purpose::REMOVED,
        Some(form(Is::Row, false)),
    );
    if let Some(gone) = definition.and_then(|own| removal(&own, item, 0)) {
        case.provide(&gone);
        attempt(shown, &mut case, &gone, purpose::GONE, None);
    }
    case.terminate().build()
}

/// The same change without `:is`: of what is not there, and of what is there as it is to be. Then the same of its
/// removal.
fn unknown(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("unknown/{}", item.info.label));
    case.setup(item).observing().open();
    attempt(
        shown,
        &mut case,
        item,
        purpose::UNKNOWN,
        Some(form(Is::Missing, true)),
    );
    let mut again = |item: &Instance, part: &str| {
        case.provide(item);
        let key = purpose::UNKNOWN.part(part);
        attempt(shown, &mut case, item, key, Some(form(Is::Missing, true)));
    };
    again(item, purpose::THERE);
    let definition = shown.definition(&item.kind);
    if shown.creates(&item.info.label)
        && let Some(gone) = definition.and_then(|own| removal(&own, item, 0))
    {
        again(&gone, purpose::GOING);
        again(&gone, purpose::GONE.text());
    }
    case.terminate().build()
}

/// The same change with nil in `:is`, if there is no resource yet.
fn nil(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("nil/{}", item.info.label));
    case.setup(item).observing().open();
    attempt(
        shown,
        &mut case,
        item,
        purpose::NIL,
        Some(form(Is::Nil, true)),
    );
    case.terminate().build()
}

/// No change at all.
fn none(setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("none/{}", item.info.label));
    case.setup(item).observing().open();
    open(&mut case, item);
    let params = Value::hash([("changes", Value::Array(Vec::new()))]);
    let key = purpose::NONE.of(&item.info.label);
    let mut send = ask(&case, phase::SET, key, item, params);
    send.provenance = Provenance::Spec;
    case.send(send);
    case.terminate().build()
}
