//! Changes that the specification allows, and no deployed runtime makes: without `:should`, without
//! `:is`, none at all.

use crate::dialect::{ResourceApi, ask, open};
use puppet_protocol::phase;
use puppet_types::Value;
use stickler_suite::plans::subjects;
use stickler_suite::{Ask, CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Provenance};

pub(super) fn cases(dialect: &ResourceApi, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let changed = |item: &Instance| setting.knowledge.repaired.contains(&item.info.label);
    let items = subjects(setting, effort).into_iter().filter(changed);
    items
        .flat_map(|item| {
            [
                removed(dialect, setting, &item),
                unknown(dialect, setting, &item),
                none(setting, &item),
            ]
        })
        .collect()
}

fn attempt(
    dialect: &ResourceApi,
    case: &mut CaseBuilder<'_>,
    item: &Instance,
    key: &str,
    parts: &[&str],
) {
    let ask = Ask {
        key,
        item,
        requires: None,
    };
    dialect.attempt(case, ask, parts, &mut |send| {
        send.provenance = send.provenance.max(Provenance::Spec);
    });
}

/// A resource that was made is removed by a change without `:should`.
fn removed(dialect: &ResourceApi, setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("removed/{}", item.info.label));
    case.setup(item).observing().open().evaluate(item);
    attempt(dialect, &mut case, item, "removed", &["is"]);
    case.terminate().build()
}

/// The same change without `:is`.
fn unknown(dialect: &ResourceApi, setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("unknown/{}", item.info.label));
    case.setup(item).observing().open();
    attempt(dialect, &mut case, item, "unknown", &["should"]);
    case.terminate().build()
}

/// No change at all.
fn none(setting: &Setting<'_>, item: &Instance) -> Case {
    let mut case = setting.case(format!("none/{}", item.info.label));
    case.setup(item).observing().open();
    open(&mut case, item);
    let params = Value::hash([("changes", Value::Array(Vec::new()))]);
    let key = format!("none:{}", item.info.label);
    let mut send = ask(&case, phase::SET, key, item, params, Vec::new());
    send.provenance = Provenance::Spec;
    case.send(send);
    case.terminate().build()
}
