//! `get` while what it reads is broken: commands fail, files may not be read or are damaged. Each time,
//! a new instance of the provider reads all rows.

use crate::requests::read_anew;
use crate::shown::Shown;
use puppet_protocol::purpose;
use stickler_suite::plans::{disturbable, is_document};
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Bytes, Case, Drift, Purpose, Relation, Role};

/// With this code, a command says that it is broken. Many answer "no" with 1.
const BROKEN: u8 = 70;

/// With stand-ins for commands.
pub(super) fn commands(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let changed = changed(setting, effort);
    changed
        .flat_map(|item| {
            [
                failing(shown, setting, &item),
                one_fails(shown, setting, &item),
                noise(setting, &item),
            ]
        })
        .flatten()
        .collect()
}

/// With files.
pub(super) fn files(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    changed(setting, effort)
        .filter_map(|item| damaged(shown, setting, &item))
        .collect()
}

/// The examples that change something.
fn changed(setting: &Setting<'_>, effort: Effort) -> impl Iterator<Item = Instance> {
    let all = disturbable(setting, effort).into_iter();
    all.filter(|item| setting.knowledge.repaired.contains(&item.info.label))
}

/// The stand-ins for commands fail: before the resource is set, after that, and as a fresh
/// process sees them.
fn failing(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Option<Case> {
    // Stand-ins count their calls outside the scratch directory: only some sandboxes isolate that.
    if setting.config.fakes.is_empty() || !setting.targets {
        return None;
    }
    let label = &item.info.label;
    let mut case = setting.case(format!("commands-get/{label}"));
    case.member(Relation::COMMANDS, label, Role::variant("commands fail"))
        .setup(item)
        .fail_fakes(0, BROKEN)
        .mend_fakes()
        .observing()
        .open();
    let both = |case: &mut CaseBuilder<'_>, part: &str| {
        read_anew(shown, case, purpose::WHOLE.part(part), item);
        case.break_fakes();
        read_anew(shown, case, purpose::BROKEN.part(part), item);
        case.mend_fakes();
    };
    both(&mut case, "before");
    case.evaluate(item);
    both(&mut case, "after");
    case.terminate().start(1).greet();
    both(&mut case, "fresh");
    Some(case.terminate().build())
}

/// How many commands fail alone.
const ALONE: usize = 3;

/// Once the resource is set, one command after the other that tells what there is fails, and all others work.
fn one_fails(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Option<Case> {
    if setting.config.fakes.is_empty() || !setting.targets {
        return None;
    }
    let label = &item.info.label;
    let called = setting.knowledge.calls.get(label).copied();
    let called = called.map_or(ALONE, |called| ALONE.min(called as usize));
    let mut case = setting.case(format!("commands-one/{label}"));
    case.member(Relation::COMMANDS, label, Role::variant("asked"))
        .setup(item)
        .fail_one_fake(1_000_000, BROKEN, true)
        .observing()
        .open()
        .evaluate(item);
    for works in 0..called {
        let part = format!("{}{works}", purpose::ONE);
        case.mend_fakes();
        read_anew(shown, &mut case, purpose::WHOLE.part(&part), item);
        case.fail_call(works);
        read_anew(shown, &mut case, purpose::BROKEN.part(&part), item);
    }
    Some(case.terminate().build())
}

/// The commands say something on standard error, and work.
fn noise(setting: &Setting<'_>, item: &Instance) -> Option<Case> {
    if setting.config.fakes.is_empty() {
        return None;
    }
    let mut case = setting.case(format!("commands-noise/{}", item.info.label));
    case.setup(item)
        .noisy_fakes()
        .observing()
        .open()
        .evaluate(item)
        .evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, item);
    Some(case.terminate().build())
}

/// A file that the provider keeps may not be read. If it holds a JSON document, half of that is lost.
fn damaged(shown: &Shown, setting: &Setting<'_>, item: &Instance) -> Option<Case> {
    let label = &item.info.label;
    let made = setting.knowledge.all_made_by(label);
    if made.is_empty() {
        return None;
    }
    let file = item.file_among(&made);
    let mode = |mode| Drift::Mode {
        path: Bytes::from(file),
        mode,
    };
    let mut case = setting.case(format!("unreadable/{label}"));
    case.surroundings(|command| command.unprivileged = true)
        .setup(item)
        .observing()
        .open()
        .evaluate(item);
    read_anew(shown, &mut case, purpose::WHOLE.part(purpose::CLOSED), item);
    case.drift(mode(0)).observe("closed");
    read_anew(
        shown,
        &mut case,
        purpose::BROKEN.part(purpose::CLOSED),
        item,
    );
    let content = setting.knowledge.content(label, file);
    if let Some(content) = content.filter(|content| is_document(content)) {
        case.drift(mode(0o644)).observe("opened");
        read_anew(
            shown,
            &mut case,
            purpose::WHOLE.part(purpose::DAMAGED),
            item,
        );
        case.drift(Drift::Write {
            path: file.into(),
            content: content[..content.len() / 2].into(),
        })
        .observe("damaged");
        read_anew(
            shown,
            &mut case,
            purpose::BROKEN.part(purpose::DAMAGED),
            item,
        );
    }
    Some(case.terminate().build())
}
