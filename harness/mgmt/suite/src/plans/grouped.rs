//! Resources that join a group: asked whether they do, and at work for a member.

use super::near::of_examples;
use super::watch::{CALM, spoiled, spoiled_in};
use crate::requests::{ask_about, begin, cleanup, made, make, pair};
use crate::shown::Shown;
use crate::values::differing;
use crate::watching::Watching;
use mgmt_protocol::{Described, phase, purpose};
use serde_json::json;
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Key, Purpose, Value};

/// How many fields of a member get the value of another example.
const MOST_FIELDS: usize = 4;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    let count = subjects(setting, effort)
        .len()
        .min(setting.config.examples.len());
    for index in 0..count {
        let item = setting.example(index, 0);
        if shown.has_trait(&item.kind, "groupable") {
            cases.push(asked(shown, setting, &item));
            let mut member = setting.example(index, 1);
            member.info.expect.clone_from(&item.info.expect);
            // Where they are may lie in a field.
            if member.identity == item.identity && member.attributes != item.attributes {
                let name = [member.name(), b"2"].concat();
                member.set_name(name);
            }
            if member.identity != item.identity {
                cases.push(at_work(setting, &item, &member, "grouped"));
                cases.extend(followed(setting, &item, &member));
                // A head may take its own fields for those of a member.
                let kind = shown.kind(&member.kind);
                let other = kind.and_then(|kind| differing(kind, &member));
                let other =
                    other.map(|(_, other)| at_work(setting, &item, &other, "grouped-other"));
                cases.extend(other);
                let others = kind.map(|kind| of_other_examples(setting, kind, &member));
                cases.extend(others.into_iter().flatten().map(|(field, other)| {
                    at_work(setting, &item, &other, &format!("grouped-{field}"))
                }));
            }
        }
    }
    cases
}

/// The item with a value that another example of its kind gives a field, once for each field that holds no path, and
/// the name of that field.
fn of_other_examples(
    setting: &Setting<'_>,
    kind: &Described,
    item: &Instance,
) -> Vec<(String, Instance)> {
    let is_plain = |value: &Value| match value {
        Value::Text(text) => !text.contains(&b'/'),
        value => matches!(value, Value::Number(_) | Value::Bool(_)),
    };
    let changed = kind.fields.iter().filter_map(|field| {
        let key = field.key();
        let mut values = of_examples(setting, item, field).into_iter();
        let value = values.find(|value| is_plain(value) && item.value(key) != Some(value))?;
        let mut other = item.clone();
        other.set(key, value);
        Some((key.to_owned(), other))
    });
    changed.take(MOST_FIELDS).collect()
}

/// The kind before the first colon: the engine offers only resources that share it.
fn family(kind: &str) -> &str {
    kind.split(':').next().unwrap_or(kind)
}

/// Each kind that the engine could offer, and itself under another name.
fn asked(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("group/{}", item.info.label));
    case.setup(item).observing().open();
    make(&mut case, item);
    let mut twin = item.twin("beside");
    twin.set_name([item.name(), b"2"].concat());
    let kinds = shown.registered.iter();
    let others = kinds.filter(|kind| {
        **kind != item.kind
            && family(kind) == family(&item.kind)
            && shown
                .kind(kind)
                .is_none_or(|kind| kind.has_trait("groupable"))
    });
    let others = others.map(|kind| Instance::bare(&format!("of-{kind}"), kind, "stickler"));
    for other in std::iter::once(twin).chain(others) {
        case.provide(&other);
        make(&mut case, &other);
        for (turn, sides) in [(1, [item, &other]), (2, [&other, item])] {
            let key = purpose::GROUPCMP.turn(turn).of(&other.info.label);
            pair(&mut case, phase::GROUPCMP, key, made(&other), &other, sides);
        }
    }
    case.terminate().build()
}

/// A head that watches for a member: what the head has made is changed, what the member has, and what the head has again.
fn followed(setting: &Setting<'_>, item: &Instance, member: &Instance) -> Option<Case> {
    let own = spoiled(setting, item).into_iter().next()?;
    let theirs = spoiled_in(setting, item, 1).into_iter().next()?;
    let mut case = setting.case(format!("grouped-watch/{}", item.info.label));
    case.setup(item).setup(member).observing().open();
    case.validate(item).validate(member);
    let begun = join(&mut case, item, member);
    case.evaluate(item);
    let mut watch = Watching::new(&mut case, item, begun, 0);
    watch.finds_right();
    watch.starts(false);
    watch.acks();
    watch.waits(purpose::AWAIT.part("calm").of(&item.info.label), CALM);
    watch.acks();
    for (number, how) in [&own, &theirs, &own].into_iter().enumerate() {
        watch.noticed(how);
        watch.acks();
        watch.evaluates(2 + number);
        watch.finds_right();
        watch.settles();
    }
    watch.ends();
    cleanup(&mut case, &item.info.label);
    Some(case.terminate().build())
}

/// Has a member join the group of a head that begins then, and gives the key of the begin.
fn join(case: &mut CaseBuilder<'_>, item: &Instance, member: &Instance) -> Key {
    let (label, other) = (&item.info.label, &member.info.label);
    let asked = purpose::GROUPCMP.of(other);
    pair(
        case,
        phase::GROUPCMP,
        asked.clone(),
        made(member),
        member,
        [item, member],
    );
    let params = json!({ "resource": &**label, "member": &**other });
    let joined = purpose::GROUP.of(other);
    ask_about(
        case,
        phase::GROUP,
        joined.clone(),
        Some(asked),
        member,
        &params,
    );
    crate::requests::init(case, item, joined)
}

/// A head that works for a member, and new resources that look at what it did for both.
fn at_work(setting: &Setting<'_>, item: &Instance, member: &Instance, family: &str) -> Case {
    let mut case = setting.case(format!("{family}/{}", item.info.label));
    case.setup(item).setup(member).observing().open();
    let label = &item.info.label;
    case.validate(item).validate(member);
    join(&mut case, item, member);
    case.evaluate(item);
    case.evaluate_as(Purpose::LOOK, Purpose::VALIDATE, &item.looked_at());
    // The control: one call is enough.
    case.evaluate_as(purpose::SETTLED, Purpose::VALIDATE, item);
    cleanup(&mut case, label);
    case.terminate().start(1).greet();
    for one in [item, member] {
        begin(&mut case, one);
        case.evaluate_as(Purpose::LOOK.turn(2), Purpose::VALIDATE, &one.looked_at());
        case.evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, one);
        case.evaluate_as(Purpose::LOOK.turn(3), Purpose::VALIDATE, &one.looked_at());
    }
    case.terminate().build()
}
