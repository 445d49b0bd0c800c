//! Two resources of one run. A library that keeps rows asks `get` once for both, so that the second is set by a
//! provider that has not read since the first was set.

use super::beside::most_telling;
use crate::altered::{properties, removal, values};
use crate::deferred::Deferred;
use crate::requests::{about, deferred, evaluation, get_all, greet, look, look_for, open};
use crate::shown::Shown;
use crate::site::Site;
use crate::twins::{twin, with_other_values};
use crate::versions::{is_real, keeping};
use puppet_protocol::{phase, purpose};
use puppet_types::Definition;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Key, Variation};

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let Some(version) = keeping(setting.config).filter(|_| !is_real(setting.config)) else {
        return Vec::new();
    };
    let items = most_telling(shown, setting, effort).into_iter();
    // With a filter, `get` is asked for each resource by its name.
    let items = items.filter(|(item, definition)| {
        shown.creates(&item.info.label)
            && !definition.has_feature("simple_get_filter")
            && !shown.is_unlistable(&item.kind)
    });
    let each = items.filter_map(|(item, definition)| {
        let other = with_other_values(shown, &item).into_iter().next();
        let other = other.or_else(|| twin(shown, &item))?;
        case(shown, setting, version, &definition, [&item, &other])
    });
    each.collect()
}

fn case(
    shown: &Shown,
    setting: &Setting<'_>,
    version: &'static str,
    definition: &Definition,
    [item, other]: [&Instance; 2],
) -> Option<Case> {
    let updated = |one: &Instance| {
        let mut all = properties(definition).flat_map(|own| values(setting, definition, one, own));
        // After a difficult text, rules about rows judge nothing.
        all.find(|one| one.info.variation != Some(Variation::Text))
    };
    let first = updated(item)?;
    let second = updated(other).or_else(|| removal(definition, other, 0))?;
    let mut case = setting.case(format!("run/{}", item.info.label));
    case.setup(item).set_up_once(other).observing();
    case.start(0);
    greet(&mut case, Some(version));
    case.evaluate(item).provide(other);
    case.evaluate(other).terminate();
    // The run.
    case.start(1);
    greet(&mut case, Some(version));
    open(&mut case, item);
    let rows = purpose::RUN.part(purpose::READ).of(&item.info.label);
    let send = get_all(&case, rows.clone(), item);
    case.send(about(send, item));
    for (number, one) in [&first, &second].into_iter().enumerate() {
        case.provide(one);
        set(&mut case, definition, &rows, one);
        let part = number.to_string();
        let key = purpose::BESIDES.part(&part).of(&item.info.label);
        look(shown, &mut case, key, item, definition);
    }
    Some(case.terminate().build())
}

/// Sets a resource whose row is known. The instance is the one that has read it.
fn set(case: &mut CaseBuilder<'_>, definition: &Definition, rows: &Key, item: &Instance) {
    let mut own = evaluation(case, definition, &purpose::RUN.into(), item);
    let again = own.clone();
    own.rows = Some(rows.clone());
    let open = Site::from(item).open_key();
    let key = purpose::RUN.of(&item.info.label);
    let what = Deferred::Evaluate(own);
    let send = deferred(case, phase::SET, key.clone(), open, what);
    case.send(about(send, item));
    // As after each evaluation: where nothing is to be seen, a fresh process is asked.
    look_for(case, key.part(purpose::AFTERWARDS), item, again);
}
