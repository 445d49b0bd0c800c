//! A graph takes the place of another one, as a resource sees it: a new object with its kind and name is compared with
//! it. If they are equal, the old object stays; else it ends, and the new one begins.

use crate::requests::{about, begin, checkapply, cleanup, made, make, message, pair, validated};
use crate::values::differing;
use crate::watching::Watching;
use mgmt_protocol::{Described, phase, purpose};
use serde_json::json;
use stickler_suite::{CaseBuilder, Instance};
use stickler_transcript::{Key, Purpose, Send, Variation};

/// An equal object is compared with the one that runs, which stays and goes on.
pub(crate) fn keeps(case: &mut CaseBuilder<'_>, item: &Instance) {
    let mut old = Swapped::new(case, item);
    old.applies("before");
    let next = old.item.twin(&format!("equal{}", old.number));
    if old.compares(&next) {
        let params = json!({ "resource": &*next.info.label });
        let (key, given) = (purpose::DROP.of(&next.info.label), made(&next));
        let send = message(old.case, phase::DROP, key, Some(given), &params);
        old.case.send(about(send, &next));
        old.applies("after");
    }
}

/// An object with another value in a field takes the place of the one that runs. Then an equal one does the same work
/// in a new process, where nothing of the old one can be in its way.
pub(crate) fn replaces(case: &mut CaseBuilder<'_>, item: &Instance, kind: Option<&Described>) {
    let Some((field, other)) = kind.and_then(|kind| differing(kind, item)) else {
        return;
    };
    let mut old = Swapped::new(case, item);
    let suffix = format!(":swap{}", old.number);
    let words = "another value takes its place".to_owned();
    let mut next = item.variant(Variation::Near, &field, &suffix, words);
    next.attributes = other.attributes;
    if !old.case.may_evaluate(&next) {
        return;
    }
    old.applies("before");
    if !old.compares(&next) {
        return;
    }
    // A graph with a resource that is not valid takes nobody's place.
    old.ends(validated(&next));

    let mut new = Swapped::new(old.case, &next);
    let begun = begin(new.case, &next);
    let mut watch = Watching::new(new.case, &next, begun, new.number);
    watch.starts(false);
    watch.acks();
    new.applies("first");
    new.applies("second");

    let case = new.case;
    case.terminate();
    let process = case.process() + 1;
    case.start(process).greet();
    let mut control = Swapped::new(case, &next);
    let looks = next.looked_at();
    let begun = begin(control.case, &next);
    let key = purpose::SWAPPED.turn(control.number).part("look");
    let look = checkapply(control.case, key.of(&next.info.label), begun, &looks);
    control.case.send(look);
    control.applies("first");
    control.applies("second");
    cleanup(control.case, &next.info.label);
}

/// One of the objects.
struct Swapped<'c, 's> {
    case: &'c mut CaseBuilder<'s>,
    item: &'c Instance,
    /// The step at which the story begins.
    number: usize,
}

impl<'c, 's> Swapped<'c, 's> {
    fn new(case: &'c mut CaseBuilder<'s>, item: &'c Instance) -> Self {
        case.provide(item);
        let number = case.steps();
        Swapped { case, item, number }
    }

    /// Begins the object, unless it has begun, and applies it.
    fn applies(&mut self, when: &str) {
        let begun = begin(self.case, self.item);
        let key = purpose::SWAPPED.turn(self.number).part(when);
        let send = checkapply(self.case, key.of(&self.item.info.label), begun, self.item);
        self.case.send(send);
    }

    /// Makes and validates the other object, and compares it. The answer is no, if the process has had one of that
    /// label.
    fn compares(&mut self, next: &Instance) -> bool {
        if self.case.has_sent(&purpose::NEW.of(&next.info.label)) {
            return false;
        }
        self.case.provide(next);
        make(self.case, next);
        self.case.validate_as(Purpose::VALIDATE, next);
        let key = purpose::CMP.turn(self.number).of(&next.info.label);
        let sides = [self.item, next];
        pair(self.case, phase::CMP, key, validated(next), next, sides);
        true
    }

    /// Ends `Watch`, if it runs, and the object, if the request `requires` was accepted.
    fn ends(&mut self, requires: Key) {
        let label = &self.item.info.label;
        let watches = |send: &Send| send.phase == phase::WATCH && send.item.as_ref() == Some(label);
        if self.case.sent().any(watches) {
            let mut watch = Watching::new(self.case, self.item, requires.clone(), self.number);
            watch.ends();
        }
        let params = json!({ "resource": &**label });
        let key = purpose::CLEANUP.of(label);
        let send = message(self.case, phase::CLEANUP, key, Some(requires), &params);
        self.case.send(about(send, self.item));
    }
}
