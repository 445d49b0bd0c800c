//! Several resources in one call of `set`: two that work, and one that fails before one that works.

use crate::dialect::ResourceApi;
use crate::requests::{ask, look};
use crate::resource;
use puppet_protocol::phase;
use puppet_types::Value;
use stickler_suite::plans::subjects;
use stickler_suite::{Ask, Effort, Instance, Setting};
use stickler_transcript::{Case, Provenance, Variation};

pub(super) fn cases(dialect: &ResourceApi, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let all = subjects(setting, effort);
    let mut cases = Vec::new();
    for item in all.iter().filter(|item| dialect.creates(&item.info.label)) {
        let Some(twin) = twin(dialect, item) else {
            continue;
        };
        cases.extend(case(dialect, setting, "twins", item, &twin));
        let is_beside = |bad: &&Instance| bad.kind == item.kind && bad.target == item.target;
        let mut bad = all.iter().filter(|bad| dialect.fails(&bad.info.label));
        if let Some(bad) = bad.find(is_beside) {
            cases.extend(case(dialect, setting, "beside", bad, &twin));
        }
    }
    cases
}

/// The same resource under another name, if its type admits one.
pub(super) fn twin(dialect: &ResourceApi, item: &Instance) -> Option<Instance> {
    let definition = dialect.definition(&item.kind)?;
    let title = String::from_utf8_lossy(item.name()).into_owned();
    let namevars = |item: &Instance| {
        let target = resource::target(&definition, item);
        let own = definition.namevars();
        let own = own.iter().map(|name| target.get(name).cloned());
        own.collect::<Vec<_>>()
    };
    let own = namevars(item);
    // At the end, in the middle and at the start: titles may have several parts.
    let middle = title
        .char_indices()
        .nth(1)
        .map_or(title.len(), |(at, _)| at);
    let (start, end) = title.split_at(middle);
    let names = ["2", "b", "x"].into_iter().flat_map(|more| {
        [
            format!("{title}{more}"),
            format!("{start}{more}{end}"),
            format!("{more}{title}"),
        ]
    });
    let made = names.map(|name| {
        let words = format!("called \"{name}\"");
        let mut twin = item.altered(Variation::Near, ":twin", words);
        twin.set_name(name);
        twin
    });
    let mut fit = made.filter(|twin| {
        let target = resource::target(&definition, twin);
        resource::is_admitted(&definition, twin, &target) && namevars(twin) != own
    });
    fit.next()
}

/// Both at once; then the second alone, in case that it was not brought about.
fn case(
    dialect: &ResourceApi,
    setting: &Setting<'_>,
    name: &str,
    one: &Instance,
    other: &Instance,
) -> Option<Case> {
    let mut case = setting.case(format!("{name}/{}+{}", one.info.label, other.info.label));
    case.setup(one).set_up_once(other).observing().open();
    case.provide(other);
    let mut plans = Vec::new();
    for item in [one, other] {
        let ask_for = Ask {
            key: name,
            item,
            requires: None,
        };
        let prepared = dialect.prepare(&mut case, ask_for)?;
        plans.push(Value::hash(prepared.plan));
    }
    let key = format!("{name}:{}", other.info.label);
    let definition = dialect.definition(&other.kind)?;
    let noop = definition.has_feature("supports_noop");
    let params = noop.then_some(("noop", Value::Bool(false)));
    let plan = vec![("several", Value::Array(plans))];
    let mut send = ask(&case, phase::SET, key, other, Value::hash(params), plan);
    send.item = Some(other.info.label.clone());
    send.provenance = Provenance::Spec;
    case.send(send);
    let key = format!("{name}-after:{}", other.info.label);
    look(&mut case, key, other, Vec::new());
    let ask_for = Ask {
        key: "alone",
        item: other,
        requires: None,
    };
    dialect.attempt(&mut case, ask_for, &[], &mut |_| {});
    Some(case.terminate().build())
}
