//! A file that a resource edits belongs to somebody: it has an unusual mode and owner, or a link leads to it. Only files
//! of which the usual evaluation leaves something are tried, since nothing else shows that it edits them.

use crate::altered::{properties, values};
use crate::requests::renew;
use crate::shown::Shown;
use crate::twins::unrelated;
use puppet_protocol::replaced::{A_LINK, UNUSUAL};
use stickler_reading::foreign::Managed;
use stickler_suite::plans::disturbable;
use stickler_suite::{Effort, Instance, Setting, scratch_dir};
use stickler_transcript::{Bytes, Case, Drift, Purpose, Relation, Role, Variation};

/// What no other file on the machine has.
const MODE: u32 = 0o624;
const OWNER: u32 = 12345;
/// With the bit that gives new files the group of their folder.
const WITH_GROUP: u32 = 0o2640;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for item in disturbable(setting, effort) {
        let label = &item.info.label;
        let known = setting.knowledge;
        let edited = known.edited_by(label).find(|(_, before, after)| {
            let managed = Managed::of([(&before[..], &after[..])]);
            let foreign = managed.foreign(before);
            let has_letters = |line: &&[u8]| line.iter().any(u8::is_ascii_alphabetic);
            is_text(before) && foreign.iter().any(has_letters)
        });
        if let Some((path, before, _)) = edited {
            cases.push(unusual(setting, &item, path, before));
            cases.push(linked(setting, &item, path, before));
        } else if let Some(case) = made(shown, setting, &item) {
            cases.push(case);
        }
    }
    cases
}

/// The file of the setup has an unusual mode and owner; then, with its old content, an unusual mode alone.
fn unusual(setting: &Setting<'_>, item: &Instance, path: &[u8], before: &Bytes) -> Case {
    let label = &item.info.label;
    let path = || Bytes::from(path);
    let changed = item.altered(Variation::Drifted, ":unusual", UNUSUAL.to_owned());
    let mut case = setting.case(format!("foreign-unusual/{label}"));
    case.member(Relation::FOREIGN, label, Role::variant(UNUSUAL))
        .setup(item)
        .drifts(&owned(path(), MODE, OWNER))
        .observing()
        .open()
        .evaluate(&changed)
        .drift(Drift::Write {
            path: path(),
            content: before.clone(),
        })
        .drifts(&owned(path(), WITH_GROUP, 0))
        .observe("drift");
    renew(&mut case, &changed);
    case.evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, &changed)
        .terminate()
        .build()
}

/// A link leads to the file.
fn linked(setting: &Setting<'_>, item: &Instance, path: &[u8], before: &Bytes) -> Case {
    let label = &item.info.label;
    let target = Bytes::from(format!("{}/stickler-linked", scratch_dir(0)));
    let changed = item.altered(Variation::Drifted, ":linked", A_LINK.to_owned());
    let mut case = setting.case(format!("foreign-linked/{label}"));
    case.member(Relation::FOREIGN, label, Role::variant(A_LINK))
        .setup(item)
        .drift(Drift::Write {
            path: target.clone(),
            content: before.clone(),
        })
        .drift(Drift::Remove { path: path.into() })
        .drift(Drift::Link {
            path: path.into(),
            target,
        })
        .observing()
        .open()
        .evaluate(&changed)
        .terminate()
        .build()
}

/// The file that the resource made, with another one in it, gets an unusual mode and owner before the next change.
fn made(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Option<Case> {
    let label = &item.info.label;
    let definition = shown.definition(&item.kind)?;
    let files = setting.knowledge.all_made_by(label);
    let path = *files.first().filter(|_| files.len() == 1)?;
    // What is no text is a database of the provider's own.
    setting
        .knowledge
        .content(label, path)
        .filter(|content| is_text(content))?;
    let other = unrelated(&definition, item)?;
    let mut others =
        properties(&definition).flat_map(|own| values(setting, &definition, item, own));
    let updated = others.find(|one| one.info.variation != Some(Variation::Text))?;
    let mut case = setting.case(format!("foreign-unusual/{label}"));
    case.member(Relation::FOREIGN, label, Role::variant(UNUSUAL))
        .setup(item)
        .observing()
        .open()
        .evaluate(&other)
        .evaluate(item)
        .drifts(&owned(path.into(), MODE, OWNER))
        .observe("drift");
    renew(&mut case, item);
    Some(case.evaluate(&updated).terminate().build())
}

fn is_text(content: &[u8]) -> bool {
    let mut bytes = content.iter();
    !bytes.any(|byte| byte.is_ascii_control() && !b"\t\r\n".contains(byte))
}

fn owned(path: Bytes, mode: u32, owner: u32) -> [Drift; 2] {
    let owned = Drift::Owner {
        path: path.clone(),
        uid: owner,
        gid: owner,
    };
    [owned, Drift::Mode { path, mode }]
}
