//! What the optional features of a type promise: canonical values, filters of names.

use crate::deferred::{Deferred, Pick};
use crate::requests::{ask, deferred, open};
use crate::resource;
use crate::shown::Shown;
use crate::site::Site;
use crate::versions::asks_with_empty_lists;
use puppet_protocol::{phase, purpose};
use puppet_types::{Definition, Value};
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Phase, Purpose};

/// So often the same sign stands in a row.
const MANY: usize = 3;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = subjects(setting, effort).into_iter();
    let items = items.filter(|item| setting.knowledge.repaired.contains(&item.info.label));
    let known = items.filter_map(|item| Some((shown.definition(&item.kind)?, item)));
    let mut cases = Vec::new();
    for (definition, item) in known {
        if definition.has_feature("canonicalize") {
            cases.push(canonical(&definition, setting, &item));
        }
        if definition.has_feature("simple_get_filter") {
            cases.push(filtered(setting, &definition, &item));
        }
    }
    cases
}

/// Calls the item's provider.
fn call(case: &mut CaseBuilder<'_>, item: &Instance, phase: Phase, key: Purpose, params: Value) {
    let send = ask(case, phase, key, item, params);
    case.send(send);
}

/// Calls it with what other exchanges returned.
fn call_with(
    case: &mut CaseBuilder<'_>,
    item: &Instance,
    phase: Phase,
    key: Purpose,
    what: Deferred,
) {
    let open = Site::from(item).open_key();
    let send = deferred(case, phase, key, open, what);
    case.send(send);
}

/// The rows of `get` and the target of an evaluation are made canonical once more.
fn canonical(definition: &Definition, setting: &Setting<'_>, item: &Instance) -> Case {
    let label = &item.info.label;
    let mut case = setting.case(format!("canonical/{label}"));
    case.setup(item).observing().open().evaluate(item);
    for (key, part) in [
        (purpose::ROWS, purpose::AFTERWARDS),
        (purpose::AGAIN, purpose::CANONICAL),
    ] {
        let what = Deferred::Canonicalize {
            open: Site::from(item).open_key(),
            rows: Purpose::EVALUATE.part(part).of(label),
        };
        call_with(&mut case, item, phase::CANONICALIZE, key, what);
    }
    // Runtimes send parts of resources, and what else a manifest says about them.
    let whole = resource::target(definition, item);
    let members = whole.as_hash().unwrap_or_default();
    let namevars = definition.namevars();
    let is_namevar = |key: &Value| key.as_symbol().is_some_and(|name| namevars.contains(&name));
    let names = members.iter().filter(|(key, _)| is_namevar(key));
    let title = String::from_utf8_lossy(item.name()).into_owned();
    let further = [
        ("title", Value::string(title.clone())),
        ("loglevel", Value::symbol("notice")),
        ("tag", Value::Array(vec![Value::string("site")])),
    ];
    let further = further.map(|(key, value)| (Value::symbol(key), value));
    for (key, members) in [
        (purpose::PARTIAL_NAMES, names.cloned().collect()),
        (purpose::PARTIAL_TITLE, further[..1].to_vec()),
        (purpose::PARTIAL_MORE, [members, &further].concat()),
    ] {
        let resources = Value::Array(vec![Value::Hash(members)]);
        let params = Value::hash([("resources", resources)]);
        call(&mut case, item, phase::CANONICALIZE, key, params);
    }
    for (number, target) in signed(definition, item).into_iter().enumerate() {
        let number = number.to_string();
        let key = purpose::SIGNED.part(&number).of(label);
        let resources = Value::Array(vec![target]);
        let params = Value::hash([("resources", resources)]);
        let send = ask(&case, phase::CANONICALIZE, key.clone(), item, params);
        case.send(send);
        let open = Site::from(item).open_key();
        let what = Deferred::Canonicalize {
            open: open.clone(),
            rows: key,
        };
        let again = purpose::AGAIN.part(&number).of(label);
        let send = deferred(&case, phase::CANONICALIZE, again, open, what);
        case.send(send);
    }
    case.terminate().build()
}

/// The target with the same sign several times at the end of each text that its type allows, and at the start: who
/// takes away one of them finds the next one in the second call.
fn signed(definition: &Definition, item: &Instance) -> Vec<Value> {
    const SIGNS: [&str; 6] = ["/", ".", " ", "-", "_", ":"];
    let whole = resource::target(definition, item);
    let members = whole.as_hash().unwrap_or_default();
    let ways = SIGNS.iter().flat_map(|sign| [(sign, false), (sign, true)]);
    let all = ways.filter_map(|(sign, leads)| {
        let changed = |text: &str| match leads {
            true => format!("{}{text}", sign.repeat(MANY)),
            false => format!("{text}{}", sign.repeat(MANY)),
        };
        let changed = members.iter().map(|(key, value)| {
            let own = key.as_symbol().and_then(|name| definition.attribute(name));
            let own = own.filter(|own| own.name != "ensure");
            let own = own.and_then(|own| own.data_type.as_ref());
            let other = match value {
                Value::String(text) => Some(Value::string(changed(text))),
                Value::Array(items) => items.first().and_then(Value::as_str).map(|first| {
                    let first = Value::string(changed(first));
                    let rest = items[1..].iter().cloned();
                    Value::Array(std::iter::once(first).chain(rest).collect())
                }),
                _ => None,
            };
            let fits = |other: &Value| own.is_some_and(|own| own.matches(other).is_yes());
            (
                key.clone(),
                other.filter(fits).unwrap_or_else(|| value.clone()),
            )
        });
        let target: Vec<(Value, Value)> = changed.collect();
        (target != members).then_some(Value::Hash(target))
    });
    all.collect()
}

/// All rows, no row, each row by name, and one that is not there.
fn filtered(setting: &Setting<'_>, definition: &Definition, item: &Instance) -> Case {
    let label = &item.info.label;
    let mut case = setting.case(format!("filtered/{label}"));
    case.setup(item).observing().open();
    open(&mut case, item);
    call(
        &mut case,
        item,
        phase::GET,
        purpose::ALL_BEFORE,
        Value::hash([]),
    );
    case.evaluate(item);
    let names = |names: Value| Value::hash([("names", names)]);
    for (key, params) in [
        (purpose::ALL, Value::hash([])),
        (purpose::NIL, names(Value::Undef)),
        (purpose::NONE, names(Value::Array(Vec::new()))),
    ] {
        call(&mut case, item, phase::GET, key, params);
    }
    if asks_with_empty_lists(setting.config) {
        let key = purpose::ALL.part(purpose::OLDER);
        let send = ask(
            &case,
            phase::GET,
            key,
            item,
            names(Value::Array(Vec::new())),
        );
        case.send(send);
    }
    let namevars = definition.namevars().into_iter();
    let what = Deferred::Named {
        open: Site::from(item).open_key(),
        rows: purpose::ALL.into(),
        namevars: namevars.map(str::to_owned).collect(),
        pick: Pick::All,
    };
    call_with(&mut case, item, phase::GET, purpose::NAMED, what);
    case.terminate().build()
}
