//! Providers of types with `custom_generate` are asked for further resources, as each library that knows the feature
//! does: before a resource is there, and once it is.

use crate::deferred::Deferred;
use crate::requests::{about, deferred, evaluation, greet, open, renew};
use crate::shown::Shown;
use crate::site::Site;
use crate::versions::{generating, is_real};
use puppet_protocol::{phase, purpose};
use puppet_types::Definition;
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::Case;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    if is_real(setting.config) {
        return Vec::new();
    }
    let mut cases = Vec::new();
    for item in subjects(setting, effort) {
        let definition = shown.definition(&item.kind);
        let definition = definition.filter(|own| own.has_feature("custom_generate"));
        let Some(definition) = definition else {
            continue;
        };
        for version in generating(setting.config) {
            cases.push(case(setting, version, &definition, &item));
        }
    }
    cases
}

fn case(setting: &Setting<'_>, version: &str, definition: &Definition, item: &Instance) -> Case {
    let mut case = setting.case(format!("generated/{version}/{}", item.info.label));
    case.setup(item).observing().start(0);
    greet(&mut case, Some(version));
    open(&mut case, item);
    generate(&mut case, definition, item, "before");
    case.evaluate(item);
    renew(&mut case, item);
    generate(&mut case, definition, item, "after");
    case.terminate().build()
}

fn generate(case: &mut CaseBuilder<'_>, definition: &Definition, item: &Instance, when: &str) {
    let key = purpose::GENERATED.part(when);
    let own = evaluation(case, definition, &key, item);
    let open = Site::from(item).open_key();
    let key = key.of(&item.info.label);
    let send = deferred(case, phase::GENERATE, key, open, Deferred::Generate(own));
    case.send(about(send, item));
}
