//! Examples with values at the borders of the fields' types, in two worlds: after the setup, and after the example.

use crate::requests::{ask, calls};
use crate::shown::Shown;
use crate::values::odd_values;
use mgmt_protocol::{Described, phase, purpose};
use serde_json::json;
use stickler_suite::plans::disturbable;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Purpose, Variation};

/// How many fields of a kind are tried.
const FIELDS: usize = 24;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for item in disturbable(setting, effort) {
        if let Some(kind) = shown.kind(&item.kind) {
            cases.push(one(setting, kind, &item));
        }
    }
    cases
}

fn one(setting: &Setting<'_>, kind: &Described, item: &Instance) -> Case {
    let variants = variants(kind, item);
    let mut case = setting.case(format!("odd/{}", item.info.label));
    case.setup(item).open();
    tries(&mut case, &variants);
    case.terminate().start(1).greet();
    case.validate(item).evaluate(item);
    tries(&mut case, &variants);
    case.terminate().build()
}

/// The item with each of these values.
pub(super) fn variants(kind: &Described, item: &Instance) -> Vec<Instance> {
    let mut variants = Vec::new();
    for field in kind.fields.iter().take(FIELDS) {
        let key = field.key();
        for (number, value) in odd_values(field, item.value(key)).into_iter().enumerate() {
            let words = format!("a value at the border of the type of \"{key}\"");
            let suffix = format!(":{number}");
            let mut odd = item.variant(Variation::Odd, key, &suffix, words);
            odd.set(key, value);
            variants.push(odd);
        }
    }
    variants
}

/// What `Validate` passes is looked at, and applied.
fn tries(case: &mut CaseBuilder<'_>, variants: &[Instance]) {
    for odd in variants
        .iter()
        .filter(|odd| case.may_evaluate(odd))
        .cloned()
        .collect::<Vec<_>>()
    {
        let label = &odd.info.label;
        case.validate(&odd);
        calls(case, Purpose::LOOK.of(label), &odd.looked_at(), &json!({}));
        calls(case, Purpose::EVALUATE.of(label), &odd, &json!({}));
        crate::requests::cleanup(case, label);
        let params = json!({ "resource": &**label });
        ask(case, phase::DROP, purpose::DROP.of(label), None, &params);
    }
}
