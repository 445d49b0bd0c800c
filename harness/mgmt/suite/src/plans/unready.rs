//! `Init` of what is not valid, and where no folder can be made.

use super::odd::variants;
use crate::requests::{Surroundings, cleanup, counts, greet_in, init, made, make};
use crate::shown::Shown;
use mgmt_protocol::request::NOWHERE;
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::Case;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for index in 0..setting.config.invalid.len() {
        let item = setting.invalid(index);
        cases.push(one(setting, &item, &[Surroundings::default()]));
    }
    let nowhere = Surroundings {
        var: NOWHERE.to_owned(),
        ..Surroundings::default()
    };
    let mut items = match setting.config.examples.is_empty() {
        true => Vec::new(),
        false => subjects(setting, effort),
    };
    let known: Vec<String> = items.iter().map(|item| item.kind.clone()).collect();
    for kind in shown.kinds(setting.config) {
        if !known.contains(&kind) {
            items.push(Instance::bare(&format!("of-{kind}"), &kind, "stickler"));
        }
    }
    if !setting.config.examples.is_empty() {
        let valid = subjects(setting, effort).into_iter();
        cases.extend(valid.filter_map(|item| unchecked(shown, setting, &item)));
    }
    let ways = [Surroundings::default(), nowhere];
    cases.extend(items.iter().map(|item| one(setting, item, &ways)));
    cases
}

fn one(setting: &Setting<'_>, item: &Instance, ways: &[Surroundings]) -> Case {
    let mut case: CaseBuilder<'_> = setting.case(format!("unready/{}", item.info.label));
    case.setup(item).observing();
    case.provide(item);
    for (process, surroundings) in ways.iter().enumerate() {
        case.start(process);
        greet_in(&mut case, surroundings);
        make(&mut case, item);
        counts(&mut case, 1);
        init(&mut case, item, made(item));
        counts(&mut case, 2);
        cleanup(&mut case, &item.info.label);
        case.terminate();
    }
    case.build()
}

/// `Init` of values that nobody has validated.
fn unchecked(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Option<Case> {
    let kind = shown.kind(&item.kind)?;
    let mut case = setting.case(format!("unchecked/{}", item.info.label));
    case.setup(item).open();
    for odd in variants(kind, item) {
        case.provide(&odd);
        make(&mut case, &odd);
        init(&mut case, &odd, made(&odd));
        cleanup(&mut case, &odd.info.label);
    }
    Some(case.terminate().build())
}
