//! Changes or undoes from outside what an item made. The subject must notice it, warn about it,
//! and repair it.

use crate::builder::CaseBuilder;
use crate::effort::Effort;
use crate::instance::Instance;
use crate::plans::near::next;
use crate::plans::subjects::disturbable;
use crate::setting::Setting;
use stickler_transcript::{Bytes, Case, Drift, Purpose, Relation, Role, Variation};

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let known = setting.knowledge;
    let mut cases = Vec::new();
    for instance in disturbable(setting, effort) {
        let label = &instance.info.label;
        let made = known.made_by(label);
        cases.extend(warned_of(setting, &instance, &made));
        cases.extend(warned_of_each(setting, &instance));
        cases.extend(special(setting, &instance));
        if !made.is_empty() {
            cases.extend(drifted(setting, &instance, &made));
            cases.push(unusual(setting, &instance, &made));
        }
    }
    cases
}

/// Undoes evaluations from outside.
pub(super) fn undone(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let all = disturbable(setting, effort).into_iter();
    all.filter_map(|instance| taken_back(setting, &instance))
        .collect()
}

/// Changes a file from outside in one aspect after the other, and a directory's mode. The subject
/// must warn about each change and repair it.
fn warned_of(setting: &Setting<'_>, instance: &Instance, files: &[&[u8]]) -> Option<Case> {
    let known = setting.knowledge;
    let label = &instance.info.label;
    if !known.dry || !known.repaired.contains(label) {
        return None;
    }
    let mut drifts = Vec::new();
    if !files.is_empty() {
        let file = instance.file_among(files);
        let path = || Bytes::from(file);
        drifts.extend([
            Drift::Mode {
                path: path(),
                mode: 0o604,
            },
            Drift::Write {
                path: path(),
                content: "stickler was here\n".into(),
            },
            Drift::Write {
                path: path(),
                content: of_its_length(setting, label, file),
            },
            Drift::Remove { path: path() },
        ]);
    }
    let directories = known.directories_by(label);
    if !directories.is_empty() {
        drifts.push(Drift::Mode {
            path: instance.file_among(&directories).into(),
            mode: 0o705,
        });
    }
    let id = format!("warn-drift/{label}");
    (!drifts.is_empty()).then(|| warned_and_mended(setting, instance, id, drifts.chunks(1)))
}

/// Gives a directory the bits beyond permissions: a `chmod` of three or four digits leaves some of them there, so that a
/// subject that compares all bits is never done.
fn special(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    let label = &instance.info.label;
    let directories = setting.knowledge.directories_by(label);
    if directories.is_empty() || !instance.stays_kept() {
        return None;
    }
    let mut case = setting.case(format!("special-bits/{label}"));
    case.setup(instance)
        .observing()
        .open()
        .validate(instance)
        .evaluate(instance)
        .drift(Drift::Mode {
            path: instance.file_among(&directories).into(),
            mode: 0o6755,
        })
        .observe("setuid and setgid")
        .evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, instance)
        .evaluate_as(Purpose::EVALUATE.turn(3), Purpose::VALIDATE, instance);
    Some(case.terminate().build())
}

/// Undoes the effects of an evaluation one at a time. The subject must warn about each and repair
/// it.
fn warned_of_each(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    const MOST: usize = 4;
    let known = setting.knowledge;
    let label = &instance.info.label;
    let drifts = known.undone.get(label)?;
    let things: Vec<&[Drift]> = drifts
        .chunk_by(|one, next| one.path() == next.path())
        .collect();
    if things.len() < 2 || !known.dry {
        return None;
    }
    let id = format!("warn-undone/{label}");
    let things = things.into_iter().take(MOST);
    Some(warned_and_mended(setting, instance, id, things))
}

/// Lets a repaired item drift in one aspect after the other. The subject must warn about each
/// and repair it.
fn warned_and_mended<'d>(
    setting: &Setting<'_>,
    instance: &Instance,
    id: String,
    things: impl Iterator<Item = &'d [Drift]>,
) -> Case {
    let warned = instance.looked_at();
    let mut case = setting.case(id);
    case.setup(instance)
        .observing()
        .open()
        .validate_as(Purpose::DRY_VALIDATE, &warned)
        .validate(instance)
        .evaluate(instance);
    for (number, thing) in things.enumerate() {
        case.drifts(thing)
            .observe("drift")
            .evaluate_as(Purpose::WARNED.turn(number), Purpose::DRY_VALIDATE, &warned)
            .evaluate_as(Purpose::MENDED.turn(number), Purpose::VALIDATE, instance);
    }
    case.terminate().build()
}

/// A foreign text of the same length as the item's own, if that is known. Digits stay: numbers
/// have an order, so another number may satisfy the item as well.
fn of_its_length(setting: &Setting<'_>, label: &str, file: &[u8]) -> Bytes {
    let own = setting.knowledge.content(label, file);
    let other = |byte: &u8| match byte {
        b'0'..=b'9' => *byte,
        letter => next(*letter),
    };
    own.map(|own| (own, own.iter().map(other).collect::<Vec<u8>>().into()))
        .filter(|(own, other)| *own != other)
        .map_or_else(|| "stickler was here again\n".into(), |(_, other)| other)
}

/// Gives files from the setup an unusual mode and owner and keeps their content: foreign content is
/// no INI or JSON, and a module may reject it.
fn unusual(setting: &Setting<'_>, instance: &Instance, made: &[&[u8]]) -> Case {
    let mut case = setting.case(format!("unusual/{}", instance.info.label));
    case.setup(instance);
    for file in made {
        mode_and_owner(&mut case, file, 0o624);
    }
    case.observing()
        .open()
        .validate(instance)
        .evaluate(instance);
    mode_then_owner(&mut case, instance.file_among(made), instance, 2);
    case.terminate().build()
}

/// Undoes an evaluation from outside. Both the process that did the work and a fresh one must
/// repair the item again.
fn taken_back(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    let label = &instance.info.label;
    let drifts = setting.knowledge.undone.get(label)?;
    let words = "undone from outside".to_owned();
    let changed = instance.altered(Variation::Undone, "", words);
    let mut case = setting.case(format!("undone/{label}"));
    case.setup(instance)
        .observing()
        .open()
        .validate(instance)
        .evaluate(instance);
    if instance.stays_kept() {
        // Evaluates again, so that the process knows that the item is as it should be.
        case.evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, instance);
    }
    case.drifts(drifts).observe("undone");
    case.validate(&changed).evaluate(&changed);
    case.drifts(drifts).observe("undone again").terminate();
    let fresh = instance.altered(Variation::Undone, ":fresh", "in a fresh process".to_owned());
    let case = case.start(1).greet().validate(&fresh).evaluate(&fresh);
    Some(case.terminate().build())
}

/// Gives a file that the item made foreign content, an unusual mode and another owner. The
/// subject must repair the item without changing mode or owner.
fn drifted(setting: &Setting<'_>, instance: &Instance, made: &[&[u8]]) -> Option<Case> {
    let label = &instance.info.label;
    if !setting.knowledge.repaired.contains(label) {
        return None;
    }
    let file = instance.file_among(made);
    let path = || Bytes::from(file);
    let mut case = setting.case(format!("drift/{label}"));
    case.member(Relation::DRIFT, label, Role::Drift)
        .setup(instance)
        .observing()
        .open()
        .validate(instance)
        .evaluate(instance)
        .drift(Drift::Write {
            path: path(),
            content: "stickler was here\n".into(),
        });
    mode_and_owner(&mut case, file, 0o624);
    case.observe("drift")
        .evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, instance)
        .evaluate_as(Purpose::EVALUATE.turn(3), Purpose::VALIDATE, instance)
        .drift(Drift::Write {
            path: path(),
            content: of_its_length(setting, label, file),
        })
        .drift(Drift::Mode {
            path: path(),
            mode: 0o705,
        })
        .observe("drift again")
        .evaluate_as(Purpose::EVALUATE.turn(4), Purpose::VALIDATE, instance);
    mode_then_owner(&mut case, file, instance, 5);
    case.drift(Drift::Write {
        path: path(),
        content: of_its_length(setting, label, file),
    })
    .observe("drift in content alone")
    .evaluate_as(Purpose::EVALUATE.turn(7), Purpose::VALIDATE, instance)
    .terminate();
    Some(case.build())
}

/// Changes only the mode, then only the owner: the subject repairs what the item covers.
fn mode_then_owner(case: &mut CaseBuilder<'_>, file: &[u8], instance: &Instance, turn: usize) {
    let path = || Bytes::from(file);
    case.drift(Drift::Mode {
        path: path(),
        mode: 0o604,
    })
    .observe("drift in mode alone")
    .evaluate_as(Purpose::EVALUATE.turn(turn), Purpose::VALIDATE, instance)
    .drift(owned(path()))
    .observe("drift in owner alone")
    .evaluate_as(
        Purpose::EVALUATE.turn(turn + 1),
        Purpose::VALIDATE,
        instance,
    );
}

/// Gives a file a mode and an owner that no other file on the machine has.
fn mode_and_owner(case: &mut CaseBuilder<'_>, file: &[u8], mode: u32) {
    let path = || Bytes::from(file);
    case.drift(Drift::Mode { path: path(), mode })
        .drift(owned(path()));
}

fn owned(path: Bytes) -> Drift {
    Drift::Owner {
        path,
        uid: 12345,
        gid: 12345,
    }
}
