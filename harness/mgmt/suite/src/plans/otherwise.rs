//! The examples where `Debug` is on, and where the folders of `VarDir` hold files already.

use crate::requests::{Surroundings, greet_in};
use mgmt_protocol::relation;
use stickler_suite::plans::subjects;
use stickler_suite::{Effort, Instance, Setting};
use stickler_transcript::{Case, Purpose, Role};

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let debug = Surroundings {
        debug: true,
        ..Surroundings::default()
    };
    let litter = Surroundings {
        litter: true,
        ..Surroundings::default()
    };
    let both = [("Debug is on", debug), ("VarDir holds files", litter)];
    let items = subjects(setting, effort).into_iter();
    let cases = |item: Instance| both.each_ref().map(|way| one(setting, &item, way));
    items.flat_map(cases).collect()
}

fn one(setting: &Setting<'_>, item: &Instance, (name, way): &(&str, Surroundings)) -> Case {
    let label = &item.info.label;
    let mut case = setting.case(format!("otherwise/{name}/{label}"));
    case.member(relation::SURROUNDINGS, label, Role::variant(name))
        .setup(item)
        .observing()
        .start(0);
    greet_in(&mut case, way);
    case.validate(item).evaluate(item);
    for turn in [2, 3] {
        case.evaluate_as(Purpose::EVALUATE.turn(turn), Purpose::VALIDATE, item);
    }
    case.terminate().build()
}
