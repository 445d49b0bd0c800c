//! How the suite talks to a host.

use crate::deeds;
use crate::plans::near;
use crate::requests::{
    about, cancel, checkapply, cleanup, greet, init, made, make, message, validated,
};
use crate::shown::Shown;
use mgmt_protocol::managed::managed;
use mgmt_protocol::{phase, purpose};
use serde_json::json;
use stickler_judge::is_of_mode_or_owner;
use stickler_suite::{Ask, Capabilities, CaseBuilder, Instance, Setting, Tells, Values, Verbs};
use stickler_transcript::{Facts, Send, Value};

impl Verbs for Shown {
    fn facts(&self, _: &Setting<'_>) -> Facts {
        managed(self.set_by_default(is_of_mode_or_owner))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            tells: Tells::Validity,
            values: Values::Typed,
            many_items: true,
        }
    }

    /// Go's runtime has threads of its own.
    fn shares_cpu(&self) -> bool {
        false
    }

    fn greet(&self, case: &mut CaseBuilder<'_>) {
        greet(case);
    }

    fn validate(
        &self,
        case: &mut CaseBuilder<'_>,
        ask: Ask<'_>,
        change: &mut dyn FnMut(&mut Send),
    ) {
        let item = ask.item;
        make(case, item);
        let params = json!({ "resource": &*item.info.label });
        let send = message(
            case,
            phase::VALIDATE,
            ask.key.clone(),
            Some(made(item)),
            &params,
        );
        let mut send = about(send, item);
        change(&mut send);
        case.send(send);
        // What `Validate` passes, `Init` may refuse.
        if item.info.invalid {
            init(case, item, ask.key);
        }
    }

    fn evaluate(
        &self,
        case: &mut CaseBuilder<'_>,
        ask: Ask<'_>,
        change: &mut dyn FnMut(&mut Send),
    ) {
        let item = ask.item;
        make(case, item);
        let requires = ask.requires.unwrap_or_else(|| validated(item));
        let begun = init(case, item, requires);
        let mut send = checkapply(case, ask.key, begun, item);
        change(&mut send);
        case.send(send);
    }

    fn others(&self, setting: &Setting<'_>, item: &Instance) -> Vec<(String, Value)> {
        near::others(self, setting, item)
    }

    fn deeds(&self) -> &'static [&'static str] {
        deeds::ALL
    }

    fn deed(&self, case: &mut CaseBuilder<'_>, deed: &str, item: &Instance) {
        deeds::plan(case, deed, item, self.kind(&item.kind));
    }

    fn farewell(&self, case: &mut CaseBuilder<'_>) {
        let begun = case.sent().filter(|send| send.phase == phase::INIT);
        let labels: Vec<_> = begun.filter_map(|send| send.item.clone()).collect();
        for label in labels {
            let watches =
                |send: &Send| send.phase == phase::WATCH && send.item.as_ref() == Some(&label);
            if case.sent().any(watches) && !case.has_sent(&purpose::CLEANUP.of(&label)) {
                cancel(case, &label);
            }
            cleanup(case, &label);
        }
    }
}
