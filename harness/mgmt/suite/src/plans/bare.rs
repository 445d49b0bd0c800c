//! The examples validated where not even the folder of their files is.

use crate::requests::validate_once;
use stickler_suite::plans::disturbable;
use stickler_suite::{Effort, Instance, Setting, Spoil, scratch_dir};
use stickler_transcript::{Bytes, Case, Relation, Role};

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = disturbable(setting, effort);
    items.iter().map(|item| one(setting, item)).collect()
}

fn one(setting: &Setting<'_>, item: &Instance) -> Case {
    let label = &item.info.label;
    // It is where the process started.
    let dir = scratch_dir(0);
    let gone = ["rm", "-rf", "--", &dir].map(Bytes::from);
    let back = ["mkdir", "-p", "--", &dir].map(Bytes::from);
    let mut case = setting.case(format!("nowhere/{label}"));
    case.member(Relation::BARE, label, Role::variant("without its folder"))
        .open();
    case.spoil(&Spoil::Command(gone.into()), true)
        .observe("gone");
    validate_once(&mut case, item);
    case.spoil(&Spoil::Command(back.into()), true)
        .observe("back");
    case.terminate().build()
}
