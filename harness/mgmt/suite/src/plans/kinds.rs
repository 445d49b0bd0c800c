//! Each kind by itself: what it is, and what `Default` gives.

use crate::requests::{ask, cleanup, cmp, counts, describe, get, init, made, make, simple};
use crate::shown::{FRESH, Shown};
use mgmt_protocol::{phase, purpose};
use serde_json::json;
use stickler_suite::{Instance, Setting};
use stickler_transcript::{Case, Purpose};

/// The kinds that the package registers.
pub(super) fn listed(setting: &Setting<'_>) -> Case {
    setting.case("kinds").observing().open().terminate().build()
}

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>) -> Vec<Case> {
    let kinds = shown.kinds(setting.config);
    kinds.iter().map(|kind| one(setting, kind)).collect()
}

/// The kinds of the examples, described alone.
pub(super) fn described(shown: &Shown, setting: &Setting<'_>) -> Option<Case> {
    let config = setting.config;
    let examples = config.examples.iter().chain(&config.invalid);
    let own = examples.filter_map(|example| example.kind.as_ref());
    let mut kinds: Vec<&String> = own.chain(&config.subject.kinds).collect();
    kinds.retain(|kind| shown.registered.contains(*kind));
    kinds.sort();
    kinds.dedup();
    let mut case = setting.case("look/kinds");
    case.open();
    for kind in &kinds {
        describe(&mut case, kind);
    }
    (!kinds.is_empty()).then(|| case.terminate().build())
}

fn one(setting: &Setting<'_>, kind: &str) -> Case {
    let mut case = setting.case(format!("kind/{kind}"));
    case.about(kind).observing().open();
    describe(&mut case, kind);
    // The engine gives no resource an empty name.
    let [one, other] = [FRESH, "other"].map(|label| Instance::bare(label, kind, "stickler"));
    for item in [&one, &other] {
        make(&mut case, item);
        get(&mut case, item, 1);
    }
    let params = json!({ "resource": &*one.info.label, "other": &*other.info.label });
    ask(
        &mut case,
        phase::SHARED,
        purpose::SHARED.of(FRESH),
        Some(made(&other)),
        &params,
    );
    cmp(&mut case, &one, &one, 1, &one);
    cmp(&mut case, &one, &other, 2, &other);
    cmp(&mut case, &other, &one, 3, &other);
    // `Init` has to be safe whether `Validate` passes or not.
    simple(
        &mut case,
        phase::VALIDATE,
        Purpose::VALIDATE.of(FRESH),
        Some(made(&one)),
        &one,
    );
    get(&mut case, &one, 2);
    counts(&mut case, 1);
    init(&mut case, &one, made(&one));
    cleanup(&mut case, &one.info.label);
    counts(&mut case, 2);
    case.terminate().build()
}
