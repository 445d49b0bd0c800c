//! Items for which the subject only says what it would change.

use crate::effort::Effort;
use crate::instance::Instance;
use crate::plans::rivals::rivals;
use crate::plans::subjects::subjects;
use crate::setting::Setting;
use stickler_transcript::{Case, Purpose, Relation, Role, Variation};

/// How many attributes are left out, one at a time.
const PARTS: usize = 6;

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    if setting.config.examples.is_empty() || !setting.knowledge.dry {
        return Vec::new();
    }
    subjects(setting, effort)
        .iter()
        .flat_map(|instance| {
            let mut cases = vec![warn(setting, instance)];
            if setting.capabilities().many_items {
                cases.extend(edited(setting, instance));
            }
            cases.extend(parts(setting, instance));
            cases.extend(bare(setting, instance));
            cases
        })
        .collect()
}

/// Evaluates under warn on the fresh state, then normally, then under warn on the result.
fn warn(setting: &Setting<'_>, instance: &Instance) -> Case {
    let warned = instance.looked_at();
    let mut case = setting.case(format!("warn/{}", instance.info.label));
    case.member(Relation::WARN, &instance.info.label, Role::Warn)
        .setup(instance)
        .observing()
        .open()
        .validate_as(Purpose::DRY_VALIDATE, &warned)
        .evaluate_as(Purpose::DRY_EVALUATE, Purpose::DRY_VALIDATE, &warned)
        .validate(instance)
        .evaluate(instance)
        .evaluate_as(
            Purpose::DRY_EVALUATE.turn(2),
            Purpose::DRY_VALIDATE,
            &warned,
        )
        .terminate()
        .build()
}

/// Edits one attribute of a repaired item after the other. The subject evaluates each edit under
/// warn, then normally.
fn edited(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    const MOST: usize = 6;
    let known = setting.knowledge;
    let label = &instance.info.label;
    if !known.repaired.contains(label) || instance.attributes.is_empty() {
        return None;
    }
    let mut case = setting.case(format!("warn-edited/{label}"));
    case.setup(instance)
        .observing()
        .open()
        .validate(instance)
        .evaluate(instance);
    for (number, edited) in rivals(instance).into_iter().take(MOST).enumerate() {
        let warned = edited.looked_at();
        case.validate_as(Purpose::DRY_VALIDATE, &warned)
            .evaluate_as(Purpose::WARNED.turn(number), Purpose::DRY_VALIDATE, &warned)
            .validate(&edited)
            .evaluate_as(Purpose::MENDED.turn(number), Purpose::VALIDATE, &edited)
            .evaluate_as(Purpose::BACK.turn(number), Purpose::VALIDATE, instance);
    }
    Some(case.terminate().build())
}

/// For several attributes, one left out at a time: evaluates the rest under warn and normally.
fn parts(setting: &Setting<'_>, instance: &Instance) -> Vec<Case> {
    let label = &instance.info.label;
    if instance.attributes.len() < 2 || !setting.knowledge.repaired.contains(label) {
        return Vec::new();
    }
    let without = |at: usize| {
        let field = String::from_utf8_lossy(&instance.attributes[at].0).into_owned();
        let words = format!("without attribute \"{field}\"");
        let mut part = instance.variant(Variation::Part, &field, "", words);
        part.attributes.remove(at);
        part
    };
    (0..instance.attributes.len().min(PARTS))
        .map(|at| in_turn(setting, format!("warn-part/{label}/{at}"), &without(at)))
        .collect()
}

/// The setup of the item is missing.
fn bare(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    if instance.setup.is_empty() {
        return None;
    }
    let mut bare = instance.variant(Variation::Bare, "", "", "without its setup".into());
    bare.setup.clear();
    let name = format!("warn-bare/{}", instance.info.label);
    Some(in_turn(setting, name, &bare))
}

/// An evaluation under warn, then a normal one.
fn in_turn(setting: &Setting<'_>, name: String, instance: &Instance) -> Case {
    let warned = instance.looked_at();
    let mut case = setting.case(name);
    case.setup(instance)
        .observing()
        .open()
        .validate_as(Purpose::DRY_VALIDATE, &warned)
        .evaluate_as(Purpose::WARNED.turn(0), Purpose::DRY_VALIDATE, &warned)
        .validate(instance)
        .evaluate_as(Purpose::MENDED.turn(0), Purpose::VALIDATE, instance)
        .terminate()
        .build()
}
