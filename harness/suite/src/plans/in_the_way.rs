//! Something else already exists at the path that an item creates, or the setup is missing.

use crate::effort::Effort;
use crate::instance::Instance;
use crate::plans::subjects::disturbable;
use crate::setting::Setting;
use stickler_transcript::{Bytes, Case, Purpose, Relation, Role, Variation};

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let known = setting.knowledge;
    let mut cases = Vec::new();
    for instance in disturbable(setting, effort) {
        let label = &instance.info.label;
        let links = known.links_by(label);
        if !links.is_empty() {
            cases.push(led_elsewhere(setting, &instance, &links));
        }
        let made = known.made_by(label);
        let places = if made.is_empty() { &links } else { &made };
        if !places.is_empty() {
            cases.push(blocked(setting, &instance, places));
        }
    }
    cases
}

/// The examples that need their setup, without it.
pub(super) fn without_setup(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let all = disturbable(setting, effort).into_iter();
    all.filter_map(|instance| bare(setting, &instance))
        .collect()
}

/// Validates before the setup has created anything.
fn bare(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    let label = &instance.info.label;
    if instance.setup.is_empty() {
        return None;
    }
    let mut case = setting.case(format!("bare/{label}"));
    case.member(Relation::BARE, label, Role::variant("without its setup"))
        .open()
        .validate(instance)
        .terminate();
    Some(case.build())
}

/// A directory exists at the path of the item's file.
fn blocked(setting: &Setting<'_>, instance: &Instance, made: &[&[u8]]) -> Case {
    let words = "with a directory in place of its file";
    let script = "rm -rf -- \"$1\" && mkdir -p -- \"$1\" && : > \"$1/kept\"";
    in_the_way(setting, instance, made, ("blocked", words, script))
}

/// A link to a directory exists at the path of the item's link.
fn led_elsewhere(setting: &Setting<'_>, instance: &Instance, made: &[&[u8]]) -> Case {
    let words = "with a link to a directory in place of its own";
    let script = "rm -rf -- \"$1\" && mkdir -p -- \"$1.other\" && ln -s -- \"$1.other\" \"$1\"";
    in_the_way(setting, instance, made, ("elsewhere", words, script))
}

/// The examples that make files, each with a file that has no newline at its end.
pub(super) fn unended_files(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let all = disturbable(setting, effort).into_iter();
    all.filter_map(|instance| {
        let made = setting.knowledge.made_by(&instance.info.label);
        (!made.is_empty()).then(|| unended(setting, &instance, &made))
    })
    .collect()
}

/// The existing content of its file has no newline at the end. Text that the item appends must
/// still start a new line.
fn unended(setting: &Setting<'_>, instance: &Instance, made: &[&[u8]]) -> Case {
    let words = "where the last line of its file has no newline";
    let script = "if [ -s \"$1\" ]; then tail -c 1 -- \"$1\" | grep -q . || truncate -s -1 -- \"$1\"; \
                  else printf 'stickler was here' 2>/dev/null >\"$1\" || :; fi";
    in_the_way(setting, instance, made, ("unended", words, script))
}

/// Lets a script create something at the item's path. Evaluates the item, and again if the
/// author expects that a second evaluation has nothing to do.
fn in_the_way(
    setting: &Setting<'_>,
    instance: &Instance,
    made: &[&[u8]],
    (id, words, script): (&str, &str, &str),
) -> Case {
    let mut changed = instance.altered(Variation::InTheWay, &format!(":{id}"), words.to_owned());
    changed.setup.push(shell(script, instance.file_among(made)));
    let mut case = setting.case(format!("{id}/{}", instance.info.label));
    case.setup(&changed)
        .observing()
        .open()
        .validate(&changed)
        .evaluate(&changed);
    if instance.stays_kept() {
        case.evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, &changed);
    }
    case.terminate().build()
}

/// A command that runs a script with a path as its argument.
fn shell(script: &str, path: &[u8]) -> Vec<Bytes> {
    ["sh", "-c", script, "sh"]
        .into_iter()
        .map(Bytes::from)
        .chain([Bytes::from(path)])
        .collect()
}
