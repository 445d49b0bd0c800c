//! Each example as the author wrote it.

use crate::builder::CaseBuilder;
use crate::builder::group_name;
use crate::effort::Effort;
use crate::instance::Instance;
use crate::plans::subjects::subjects;
use crate::setting::Setting;
use stickler_transcript::{Case, Membership, Purpose, Relation, Role};

pub(super) fn cases(setting: &Setting<'_>) -> Vec<Case> {
    let mut cases = Vec::new();
    for instance in subjects(setting, Effort::Normal) {
        for role in [Role::Baseline, Role::Again] {
            let mut case = whole_life(setting, &instance, role.name(), &role);
            case.groups.push(Membership {
                group: group_name(Relation::USUAL, &instance.info.label),
                relation: Relation::USUAL,
                role,
            });
            cases.push(case);
        }
    }
    cases
}

/// The invalid items, each validated twice. If the subject does not tell what is valid, it must refuse to
/// bring them about.
pub(super) fn invalid(setting: &Setting<'_>, _: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for index in 0..setting.config.invalid.len() {
        let instance = setting.invalid(index);
        let mut case = setting.case(format!("invalid/{}", instance.info.label));
        case.setup(&instance).observing().open();
        if setting.tells_validity() {
            case.validate(&instance)
                .validate_as(Purpose::VALIDATE.turn(2), &instance);
        } else {
            case.evaluate_as(Purpose::REFUSED, Purpose::VALIDATE, &instance);
        }
        cases.push(case.terminate().build());
    }
    cases
}

/// The examples again, after all other cases: parts that depend on the time then differ.
pub(super) fn late(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    subjects(setting, effort)
        .iter()
        .map(|instance| whole_life(setting, instance, "late", &Role::Again))
        .collect()
}

fn whole_life(setting: &Setting<'_>, instance: &Instance, name: &str, role: &Role) -> Case {
    let label = &instance.info.label;
    let mut case = setting.case(format!("{name}/{label}"));
    for relation in &setting.compared {
        case.member(*relation, label, role.clone());
    }
    plain(&mut case, instance);
    case.build()
}

/// The whole life of one item: validated, then evaluated repeatedly.
fn plain(case: &mut CaseBuilder<'_>, instance: &Instance) {
    case.setup(instance).observing().open().validate(instance);
    evaluations(case, instance);
    case.validate_as(Purpose::VALIDATE.turn(2), instance)
        .terminate();
}

/// Evaluates once per outcome that the author expects, and at least once more; three times at
/// least.
fn evaluations(case: &mut CaseBuilder<'_>, instance: &Instance) {
    case.evaluate(instance).verify(Purpose::EVALUATE, instance);
    for n in 2..=(instance.info.expect.len() + 1).max(3) {
        case.evaluate_as(Purpose::EVALUATE.turn(n), Purpose::VALIDATE, instance);
    }
}
