//! One item removes what another made. Anything beside it must stay.

use crate::effort::Effort;
use crate::instance::Instance;
use crate::plans::near::{DOT, LONGER, Near, PRECEDED, in_place_of, split_name, unlike};
use crate::plans::subjects::{code, subjects};
use crate::setting::Setting;
use stickler_transcript::{Case, Drift, Purpose, Value, Variation};

/// Values that state how a thing should be; they name nothing.
const STATES: [&[u8]; 18] = [
    b"absent",
    b"present",
    b"removed",
    b"remove",
    b"deleted",
    b"delete",
    b"purged",
    b"purge",
    b"installed",
    b"enabled",
    b"disabled",
    b"on",
    b"off",
    b"yes",
    b"no",
    b"true",
    b"false",
    b"ensure",
];

/// Names that a careless search for the original also finds. The first has nothing in common with
/// it.
const NEIGHBOURS: &[Near] = &[
    (":far", "with other letters", |name| Some(unlike(name))),
    LONGER,
    PRECEDED,
    DOT,
    (
        ":underscore",
        "with a letter in place of an underscore",
        |name| in_place_of(b'_', name),
    ),
];

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    if !setting.sandboxed {
        return Vec::new();
    }
    let subjects = subjects(setting, effort);
    let repaired = |instance: &&Instance| {
        let label = &instance.info.label;
        setting.knowledge.repaired.contains(label) && instance.stays_kept()
    };
    let removes = |instance: &&Instance| takes_away(setting, &instance.info.label);
    let makers = || subjects.iter().filter(repaired).filter(|it| !removes(it));
    let removers = subjects.iter().filter(repaired).filter(removes);
    removers
        .flat_map(|remover| makers().flat_map(move |maker| between(setting, maker, remover)))
        .collect()
}

/// Did its first evaluation remove something and add nothing?
fn takes_away(setting: &Setting<'_>, label: &str) -> bool {
    let Some(drifts) = setting.knowledge.undone.get(label) else {
        return false;
    };
    let left = |path: &[u8]| {
        let content = setting.knowledge.content(label, path);
        content.map_or(0, |content| content.len())
    };
    let adds = drifts
        .iter()
        .any(|drift| matches!(drift, Drift::Remove { .. }));
    let shrinks = |drift: &Drift| match drift {
        Drift::Write { path, content } => content.len() > left(path),
        Drift::Directory { .. } | Drift::Link { .. } => true,
        _ => false,
    };
    !adds && drifts.iter().any(shrinks)
}

/// One item makes what the other removes; tried with each name that they may share.
fn between(setting: &Setting<'_>, maker: &Instance, remover: &Instance) -> Vec<Case> {
    let names = |field: &String| {
        let text = remover.text(field).unwrap_or_default();
        text.iter().any(u8::is_ascii_alphabetic) && !STATES.contains(&text)
    };
    let mut shared = maker.text_fields();
    shared.retain(|field| remover.text(field).is_some() && names(field));
    shared.insert(0, maker.name_field());
    let mut same = maker.altered(Variation::Made, "", "with the other's name".into());
    for field in &shared {
        if let Some(text) = remover.text(field) {
            same.set(field, Value::Text(text.to_vec()));
        }
    }
    shared
        .iter()
        .filter_map(|field| beside(setting, &same, remover, field))
        .collect()
}

/// Makes and removes a thing with each neighbour beside it.
fn beside(setting: &Setting<'_>, same: &Instance, remover: &Instance, field: &str) -> Option<Case> {
    let text = same.text(field)?;
    let (folder, name) = split_name(text);
    if name.len() < 2 {
        return None;
    }
    let made = &same.info.label;
    let mut case = setting.case(format!("removed/{}/{made}/{field}", remover.info.label));
    case.setup(remover)
        .open()
        .validate(remover)
        .evaluate(remover)
        .validate(same)
        .evaluate_as(Purpose::MADE, Purpose::VALIDATE, same)
        .evaluate_as(Purpose::REMOVED, Purpose::VALIDATE, remover)
        .evaluate_as(Purpose::MADE.part("again"), Purpose::VALIDATE, same);
    for (suffix, how, change) in NEIGHBOURS {
        let Some(other) = change(name) else {
            continue;
        };
        let words = format!("\"{field}\" {how}, {}", code(&other));
        let mut neighbour = same.variant(Variation::Neighbour, field, suffix, words);
        neighbour.set(field, Value::Text([folder, &other].concat()));
        case.validate(&neighbour)
            .evaluate(&neighbour)
            .evaluate_as(
                Purpose::REMOVED.part(&suffix[1..]),
                Purpose::VALIDATE,
                remover,
            )
            .evaluate_as(Purpose::LEFT, Purpose::VALIDATE, &neighbour)
            .evaluate_as(Purpose::MADE.part(&suffix[1..]), Purpose::VALIDATE, same);
    }
    Some(case.terminate().build())
}
