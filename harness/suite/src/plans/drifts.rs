//! What a promise made is changed or taken back from outside: it has to be noticed, warned of and
//! mended.

use crate::builder::{CaseBuilder, Setting};
use crate::effort::Effort;
use crate::instance::Instance;
use crate::plans::disturbable;
use crate::plans::near::next;
use stickler_transcript::{Bytes, Case, Drift, Relation, Role, Variation};

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let known = setting.knowledge;
    let mut cases = Vec::new();
    for instance in disturbable(setting, effort) {
        let label = &instance.info.label;
        let made = known.made_by(label);
        cases.extend(undone(setting, &instance));
        cases.extend(warned_of(setting, &instance, &made));
        cases.extend(warned_of_each(setting, &instance));
        if !made.is_empty() {
            cases.extend(drifted(setting, &instance, &made));
            cases.push(unusual(setting, &instance, &made));
        }
    }
    cases
}

/// A file is changed from outside in one thing after the other, a directory in its mode; each
/// is warned of, and mended.
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

/// Of what an evaluation did, one thing after the other is taken back from outside, warned of,
/// and mended.
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

/// What was repaired drifts in one thing after the other; each is warned of, and mended.
fn warned_and_mended<'d>(
    setting: &Setting<'_>,
    instance: &Instance,
    id: String,
    things: impl Iterator<Item = &'d [Drift]>,
) -> Case {
    let warned = instance.looked_at();
    let mut case = setting.case(id);
    case.setup(instance)
        .open()
        .validate_as("wv", &warned)
        .validate(instance)
        .evaluate(instance);
    for (number, thing) in things.enumerate() {
        case.drifts(thing)
            .evaluate_as(&format!("warned{number}"), "wv", &warned)
            .evaluate_as(&format!("mended{number}"), "v", instance);
    }
    case.terminate().build()
}

/// A foreign text, as long as what the promise wrote where that is known. Its numbers stay:
/// they have an order, in which another may do as well.
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

/// What the setup laid out keeps its content, and gets an unusual mode and owner:
/// foreign content is no INI or JSON, and a module may refuse it.
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
    mode_then_owner(&mut case, instance.file_among(made), instance, ["e2", "e3"]);
    case.terminate().build()
}

/// What an evaluation did is taken back from outside: the promise is to be repaired
/// again, by the process that did so before as well as by a fresh one.
fn undone(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    let label = &instance.info.label;
    let drifts = setting.knowledge.undone.get(label)?;
    let words = "undone from outside".to_owned();
    let changed = instance.altered(Variation::Undone, "", words);
    let mut case = setting.case(format!("undone/{label}"));
    let take_back = |case: &mut CaseBuilder<'_>| {
        case.drifts(drifts).observe("undone");
    };
    case.setup(instance)
        .observing()
        .open()
        .validate(instance)
        .evaluate(instance);
    if instance.stays_kept() {
        // Then it is known to be as promised.
        case.evaluate_as("e2", "v", instance);
    }
    take_back(&mut case);
    case.validate(&changed).evaluate(&changed).terminate();
    let fresh = instance.altered(Variation::Undone, ":fresh", "in a fresh process".to_owned());
    let case = case.start(1).greet().validate(&fresh).evaluate(&fresh);
    Some(case.terminate().build())
}

/// A file that the promise made gets foreign content, an unusual mode and
/// another owner; the promise has to be repaired without touching the latter.
fn drifted(setting: &Setting<'_>, instance: &Instance, made: &[&[u8]]) -> Option<Case> {
    let label = &instance.info.label;
    if !setting.knowledge.repaired.contains(label) {
        return None;
    }
    let file = instance.file_among(made);
    let path = || Bytes::from(file);
    let mut case = setting.case(format!("drift/{label}"));
    case.member(Relation::Drift, label, Role::Drift)
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
        .evaluate_as("e2", "v", instance)
        .evaluate_as("e3", "v", instance)
        .drift(Drift::Write {
            path: path(),
            content: of_its_length(setting, label, file),
        })
        .drift(Drift::Mode {
            path: path(),
            mode: 0o705,
        })
        .observe("drift again")
        .evaluate_as("e4", "v", instance);
    mode_then_owner(&mut case, file, instance, ["e5", "e6"]);
    case.drift(Drift::Write {
        path: path(),
        content: of_its_length(setting, label, file),
    })
    .observe("drift in content alone")
    .evaluate_as("e7", "v", instance)
    .terminate();
    Some(case.build())
}

/// Is the mode of a file promised, or the owner? Then they are mended by themselves.
fn mode_then_owner(
    case: &mut CaseBuilder<'_>,
    file: &[u8],
    instance: &Instance,
    [mode, owner]: [&str; 2],
) {
    let path = || Bytes::from(file);
    case.drift(Drift::Mode {
        path: path(),
        mode: 0o604,
    })
    .observe("drift in mode alone")
    .evaluate_as(mode, "v", instance)
    .drift(owned(path()))
    .observe("drift in owner alone")
    .evaluate_as(owner, "v", instance);
}

/// Gives a file a mode and an owner that nothing on the machine has.
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
