//! `get` while what it reads is broken: commands fail, files may not be read or are damaged. Each time,
//! a new instance of the provider reads all rows.

use crate::dialect::{ask, load};
use crate::site::Site;
use puppet_protocol::{phase, request};
use puppet_types::Value;
use stickler_suite::plans::{by_itself, disturbable, is_document};
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Bytes, Case, Drift, Relation, Role};

/// With this code, a command says that it is broken. Many answer "no" with 1.
const BROKEN: u8 = 70;

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let all = disturbable(setting, effort).into_iter();
    let changed = all.filter(|item| setting.knowledge.repaired.contains(&item.info.label));
    changed
        .flat_map(|item| {
            [
                commands(setting, &item),
                noise(setting, &item),
                files(setting, &item),
            ]
        })
        .flatten()
        .collect()
}

/// The stand-ins for commands fail: before the resource is brought about, after that, and as a fresh
/// process sees them.
fn commands(setting: &Setting<'_>, item: &Instance) -> Option<Case> {
    // Stand-ins count their calls outside the scratch directory: only some sandboxes isolate that.
    if setting.config.fakes.is_empty() || !setting.targets {
        return None;
    }
    let label = &item.info.label;
    let mut case = setting.case(format!("commands-get/{label}"));
    case.member(Relation::Commands, label, Role::variant("commands fail"))
        .setup(item)
        .fail_fakes(0, BROKEN)
        .mend_fakes()
        .observing()
        .open();
    let both = |case: &mut CaseBuilder<'_>, key: &str| {
        read(case, &format!("whole-{key}"), item);
        case.break_fakes();
        read(case, &format!("broken-{key}"), item);
        case.mend_fakes();
    };
    both(&mut case, "before");
    case.evaluate(item);
    both(&mut case, "after");
    case.terminate().start(1).greet();
    both(&mut case, "fresh");
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
        .evaluate_as("e2", "v", item);
    let mut case = case.terminate().build();
    by_itself(Relation::Commands, &mut case);
    Some(case)
}

/// A file that the provider keeps may not be read. If it holds a JSON document, half of that is lost.
fn files(setting: &Setting<'_>, item: &Instance) -> Option<Case> {
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
    read(&mut case, "whole-closed", item);
    case.drift(mode(0)).observe("closed");
    read(&mut case, "broken-closed", item);
    let content = setting.knowledge.content(label, file);
    if let Some(content) = content.filter(|content| is_document(content)) {
        case.drift(mode(0o644)).observe("opened");
        read(&mut case, "whole-damaged", item);
        case.drift(Drift::Write {
            path: file.into(),
            content: content[..content.len() / 2].into(),
        })
        .observe("damaged");
        read(&mut case, "broken-damaged", item);
    }
    let mut case = case.terminate().build();
    by_itself(Relation::Disturbed, &mut case);
    Some(case)
}

/// Reads all rows with a new instance of the provider.
fn read(case: &mut CaseBuilder<'_>, key: &str, item: &Instance) {
    let label = &item.info.label;
    renew(case, item);
    let key = format!("{key}:{label}");
    let mut send = ask(case, phase::GET, key, item, Value::hash([]), Vec::new());
    send.item = Some(label.clone());
    case.send(send);
}

/// Builds a new instance of the provider. What comes later is asked of it.
pub(super) fn renew(case: &mut CaseBuilder<'_>, item: &Instance) {
    let site = Site::from(item);
    let loaded = format!("load:{}", site.kind);
    if !case.has_sent(&loaded) {
        load(case, site.kind);
    }
    let params = Value::hash([("type", Value::string(site.kind))]);
    let line = request::line(case.steps(), "open", params);
    let mut send = case.message(phase::OPEN, site.open_key(), line);
    send.requires = Some(loaded.into());
    case.send(send);
}
