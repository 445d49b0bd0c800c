//! Items about other places: in a missing folder, and below a long path.

use crate::effort::Effort;
use crate::instance::{Instance, scratch_dir};
use crate::plans::subjects::disturbable;
use crate::setting::Setting;
use stickler_transcript::{Bytes, Case, Purpose, Value, Variation};

/// Letters in a folder's name: most file systems allow 255.
const LONG: usize = 220;
/// Folders of that length: a path may have 4,096 bytes.
const DEEP: usize = 5;
/// Names of missing folders. The subject's error message has to quote them like any other text.
const MISSING: [(&str, &str, &str); 2] = [
    ("no-folder", "stickler/missing", "in a missing folder"),
    (
        "no-hard-folder",
        "stickler/%n%s%s%s{0}{x}$1",
        "in a missing folder with format directives in its name",
    ),
];

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for instance in disturbable(setting, effort) {
        let Some((field, path)) = instance.own_path() else {
            continue;
        };
        let below = &path[scratch_dir(0).len() + 1..];
        cases.push(far_away(setting, &instance, &field, below));
        for (name, folder, words) in MISSING {
            let name = format!("{name}/{}", instance.info.label);
            let lost = moved(&instance, &field, folder, below, words);
            cases.push(missing(setting, name, &instance, &lost));
        }
    }
    cases
}

/// The same item about a path below another folder of the scratch directory.
fn moved(instance: &Instance, field: &str, folder: &str, below: &[u8], words: &str) -> Instance {
    let mut moved = instance.variant(Variation::Place, field, "", format!("\"{field}\" {words}"));
    let path = [format!("{}/{folder}/", scratch_dir(0)).as_bytes(), below].concat();
    moved.set(field, Value::Text(path));
    moved
}

/// The path is long, and all its folders exist.
fn far_away(setting: &Setting<'_>, instance: &Instance, field: &str, below: &[u8]) -> Case {
    let folder = [b'l'; LONG].map(char::from).iter().collect::<String>();
    let folder = [&folder[..]; DEEP].join("/");
    let mut long = moved(instance, field, &folder, below, "below a long path");
    let path = long.text(field).unwrap_or_default();
    let at = path.iter().rposition(|byte| *byte == b'/');
    let parent = &path[..at.unwrap_or(0)];
    let command = [&b"mkdir"[..], b"-p", b"--", parent].map(Bytes::from);
    long.setup.push(command.into());
    let mut case = setting.case(format!("long-path/{}", instance.info.label));
    case.setup(&long);
    if let Some(command) = instance.lays_out([&long]) {
        case.run(command);
    }
    case.observing().open().validate(&long).evaluate(&long);
    if instance.stays_kept() {
        case.evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, &long);
    }
    case.terminate().build()
}

/// Its folder is missing. The item may create it, but not under warn.
fn missing(setting: &Setting<'_>, name: String, instance: &Instance, lost: &Instance) -> Case {
    let mut case = setting.case(name);
    case.setup(lost).observing().open();
    if setting.knowledge.dry {
        let warned = lost.looked_at();
        case.validate_as(Purpose::DRY_VALIDATE, &warned)
            .evaluate_as(Purpose::DRY_EVALUATE, Purpose::DRY_VALIDATE, &warned);
    }
    case.validate(lost).evaluate(lost);
    if instance.stays_kept() {
        case.evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, lost);
    }
    case.terminate().build()
}
