//! The examples where `Debug` is on, and where the folders of `VarDir` hold files already, or files that are empty.

use super::bare;
use crate::requests::{Surroundings, greet_in};
use crate::shown::Shown;
use mgmt_protocol::relation;
use mgmt_protocol::relation::CUT_SHORT;
use stickler_suite::plans::{disturbable, subjects};
use stickler_suite::{Effort, Instance, SCRATCH, Setting, Spoil};
use stickler_transcript::{Bytes, Case, Purpose, Relation, Role, Step};

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
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
    let mut all: Vec<Case> = items.flat_map(cases).collect();
    let items = disturbable(setting, effort).into_iter();
    let keeps = items.filter(|item| keeps_files(shown, &item.kind));
    all.extend(keeps.map(|item| cut_short(setting, &item)));
    all.extend(bare::cases(setting, effort));
    all
}

/// Does the source of a kind use `VarDir`?
fn keeps_files(shown: &Shown, kind: &str) -> bool {
    let source = shown.kind(kind).and_then(|kind| kind.source.clone());
    let text = source.and_then(|file| std::fs::read_to_string(file).ok());
    text.is_some_and(|text| text.contains("VarDir("))
}

/// The machine stops, and what was not yet on its disk is lost: the files in the folder of `VarDir` are empty.
fn cut_short(setting: &Setting<'_>, item: &Instance) -> Case {
    let label = &item.info.label;
    let script = "find \"$1\" -type f -exec sh -c ': >\"$1\"' sh {} \\;";
    let var = format!("{SCRATCH}/var");
    let words = ["/bin/sh", "-c", script, "sh", &var].map(Bytes::from);
    let mut case = setting.case(format!("otherwise/cut-short/{label}"));
    case.member(Relation::RESTART, label, Role::variant(CUT_SHORT))
        .setup(item)
        .observing()
        .open()
        .validate(item)
        .evaluate(item)
        .step(Step::Kill { process: 0 });
    case.spoil(&Spoil::Command(words.into()), true)
        .observe("cut short");
    case.start(1).greet().validate(item).evaluate(item);
    for turn in [2, 3] {
        case.evaluate_as(Purpose::EVALUATE.turn(turn), Purpose::VALIDATE, item);
    }
    case.terminate().build()
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
