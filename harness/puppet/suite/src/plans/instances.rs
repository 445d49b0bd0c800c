//! What is changed from outside, seen and mended by a new instance of the provider and by a new process.

use crate::dialect::{ResourceApi, load, open};
use crate::plans::backends::renew;
use crate::site::Site;
use puppet_protocol::{phase, request};
use puppet_types::Value;
use stickler_suite::plans::{by_itself, disturbable};
use stickler_suite::{Ask, CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Relation};

pub(super) fn cases(dialect: &ResourceApi, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let all = disturbable(setting, effort).into_iter();
    all.flat_map(|item| [outside(setting, &item), mended(dialect, setting, &item)])
        .flatten()
        .collect()
}

/// What was brought about is undone from outside. A new instance has to bring it about again, and so
/// has a new process.
fn mended(dialect: &ResourceApi, setting: &Setting<'_>, item: &Instance) -> Option<Case> {
    let label = &item.info.label;
    let drifts = setting.knowledge.undone.get(label)?;
    if !item.stays_kept() {
        return None;
    }
    let mut case = setting.case(format!("mended/{label}"));
    // The process knows that there is nothing more to do.
    case.setup(item)
        .observing()
        .open()
        .evaluate(item)
        .evaluate_as("e2", "v", item)
        .drifts(drifts)
        .observe("undone");
    renew(&mut case, item);
    for key in ["mended", "fresh"] {
        if key == "fresh" {
            case.drifts(drifts).observe("undone again");
            case.terminate().start(1).greet();
        }
        let ask = Ask {
            key,
            item,
            requires: None,
        };
        dialect.attempt(&mut case, ask, &[], &mut |_| {});
    }
    let mut case = case.terminate().build();
    by_itself(Relation::Drift, &mut case);
    Some(case)
}

fn outside(setting: &Setting<'_>, item: &Instance) -> Option<Case> {
    let label = &item.info.label;
    let drifts = setting.knowledge.undone.get(label)?;
    let mut case = setting.case(format!("outside/{label}"));
    case.setup(item)
        .observing()
        .open()
        .evaluate(item)
        .drifts(drifts)
        .observe("undone");
    read_anew(&mut case, "anew", item);
    case.terminate().start(1).greet();
    open(&mut case, item);
    read_anew(&mut case, "fresh", item);
    let mut case = case.terminate().build();
    by_itself(Relation::Drift, &mut case);
    Some(case)
}

/// Builds one more instance of the provider, and reads all rows.
fn read_anew(case: &mut CaseBuilder<'_>, key: &str, item: &Instance) {
    let site = Site::from(item);
    let loaded = format!("load:{}", site.kind);
    if !case.has_sent(&loaded) {
        load(case, site.kind);
    }
    let opened = format!("{key}-open:{}", item.info.label);
    let params = Value::hash([("type", Value::string(site.kind))]);
    let line = request::line(case.steps(), "open", params);
    let send = case.message(phase::OPEN, opened.clone(), line);
    case.send(send);
    let plan = Value::hash([("open", Value::string(opened.clone()))]);
    let line = request::unfinished(case.steps(), "get", Value::hash([]), plan);
    let mut send = case.message(phase::GET, format!("{key}:{}", item.info.label), line);
    send.requires = Some(opened.into());
    case.send(send);
}
