//! Action policies that agents do not send to modules.

use cfengine_protocol::purpose;
use stickler_suite::plans::subjects;
use stickler_suite::{Effort, Instance, Setting, Speech};
use stickler_transcript::{Case, Provenance, Purpose, Relation, Role, Value};

/// What requests with `action_policy` nop are for.
const NOP: [Purpose; 2] = [purpose::NOP_VALIDATE, purpose::NOP_EVALUATE];
/// What requests with `action_policy` fix are for.
const FIX: [Purpose; 2] = [purpose::FIX_VALIDATE, purpose::FIX_EVALUATE];

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    if setting.config.examples.is_empty() {
        return Vec::new();
    }
    subjects(setting, effort)
        .iter()
        .flat_map(|instance| {
            if setting.knowledge.dry {
                // The specification names `warn` and `fix`.
                let nop = setting.speech == Speech::Agent;
                let nop = nop.then(|| other(setting, instance, "nop", NOP));
                nop.into_iter()
                    .chain([other(setting, instance, "fix", FIX)])
                    .collect()
            } else {
                vec![unadvertised(setting, instance)]
            }
        })
        .collect()
}

/// The same promise under an action policy.
fn with_policy(instance: &Instance, policy: &str) -> Instance {
    let mut copy = instance.clone();
    copy.set("action_policy", Value::text(policy));
    copy
}

fn other(
    setting: &Setting<'_>,
    instance: &Instance,
    policy: &str,
    [validate, evaluate]: [Purpose; 2],
) -> Case {
    let changed = with_policy(instance, policy);
    let mut case = setting.case(format!("{policy}/{}", instance.info.label));
    case.member(Relation::WARN, &instance.info.label, Role::variant(policy))
        .setup(instance)
        .observing()
        .open()
        .validate_as(validate, &changed)
        .evaluate_as(evaluate, validate, &changed)
        .terminate()
        .build()
}

/// The module does not advertise the feature, but the suite sends it anyway. No agent does this.
fn unadvertised(setting: &Setting<'_>, instance: &Instance) -> Case {
    let mut warned = instance.looked_at();
    warned.provenance = Provenance::Beyond;
    let mut case = setting.case(format!("unadvertised/{}", instance.info.label));
    case.member(
        Relation::WARN,
        &instance.info.label,
        Role::variant("unadvertised"),
    )
    .setup(instance)
    .observing()
    .open()
    .validate_as(Purpose::DRY_VALIDATE, &warned)
    .evaluate_as(Purpose::DRY_EVALUATE, Purpose::DRY_VALIDATE, &warned)
    .terminate()
    .build()
}
