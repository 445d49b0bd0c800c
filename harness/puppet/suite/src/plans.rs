//! The sessions with types and providers.

mod backends;
mod beside;
mod changes;
mod features;
mod instances;
mod questions;
mod runtimes;
mod services;
mod together;
mod transports;
mod unexampled;
mod values;

use crate::requests::open;
use crate::shown::Shown;
use crate::site;
use puppet_protocol::{phase, purpose, request};
use puppet_types::Value;
use stickler_suite::plans::{self, by_themselves};
use stickler_suite::{Effort, Planned, Setting, Stage};
use stickler_transcript::{Case, Relation};

pub(crate) fn plans(
    shown: &Shown,
    setting: &Setting<'_>,
    stage: Stage,
    effort: Effort,
) -> Vec<Planned> {
    let cases = match stage {
        _ if !has_types(setting) => transports::alone(shown, setting, stage, effort),
        Stage::First => {
            let mut cases = match is_own(setting) {
                true => vec![told(setting)],
                false => definitions(shown, setting),
            };
            cases.extend(transports::schemas(setting));
            by_themselves(Relation::Header, cases)
        }
        Stage::Examples => {
            let mut cases = Vec::new();
            if is_own(setting) {
                cases = by_themselves(Relation::Header, definitions(shown, setting));
            }
            cases.extend(plans::examples(setting));
            cases
        }
        Stage::Suite => {
            let mut cases = by_themselves(Relation::Keys, changes::cases(shown, setting, effort));
            let features = features::cases(shown, setting, effort);
            cases.extend(by_themselves(Relation::Attributes, features));
            let unexampled = unexampled::cases(shown, setting);
            cases.extend(by_themselves(Relation::Attributes, unexampled));
            let questions = questions::cases(shown, setting, effort);
            cases.extend(by_themselves(Relation::Attributes, questions));
            cases.extend(transports::cases(shown, setting, effort));
            let services = services::cases(shown, setting, effort);
            cases.extend(by_themselves(Relation::Targets, services));
            let together = together::cases(shown, setting, effort);
            cases.extend(by_themselves(Relation::Near, together));
            let beside = beside::cases(shown, setting, effort);
            cases.extend(by_themselves(Relation::Near, beside));
            cases.extend(instances::cases(setting, effort));
            if !is_own(setting) {
                cases.extend(runtimes::cases(shown, setting, effort));
            }
            cases.extend(backends::cases(setting, effort));
            cases.extend(plans::cases(setting, effort));
            cases
        }
    };
    let mut planned: Vec<Planned> = cases.into_iter().map(Planned::Case).collect();
    if stage == Stage::Suite && has_types(setting) {
        let mut batches = plans::batches(setting, effort);
        batches.extend(values::batches(shown, setting, effort));
        planned.extend(batches.into_iter().map(Planned::Batch));
    }
    planned
}

/// Is there a type to test? A module may hold transports alone.
fn has_types(setting: &Setting<'_>) -> bool {
    is_own(setting) || !setting.config.subject.kinds.is_empty()
}

/// Is the subject a program of the author's own in place of the Ruby host?
fn is_own(setting: &Setting<'_>) -> bool {
    !setting.config.subject.command.is_empty()
}

/// What such a program tells about itself.
fn told(setting: &Setting<'_>) -> Case {
    let mut case = setting.case("definitions");
    // What it tells concerns all types that the author names.
    if let [kind] = &setting.config.subject.kinds[..] {
        case.about(kind);
    }
    case.observing().open();
    let line = request::line(case.steps(), "load", Value::hash([]));
    let send = case.message(phase::LOAD, purpose::LOAD, line);
    case.send(send);
    case.terminate().build()
}

/// Each type by itself: its definition, and its state twice.
fn definitions(shown: &Shown, setting: &Setting<'_>) -> Vec<Case> {
    let kinds = shown.kinds(setting.config);
    kinds
        .iter()
        .map(|kind| {
            let mut case = setting.case(format!("type/{kind}"));
            case.about(kind).observing().open();
            let site = site::usual(setting, kind);
            open(&mut case, site);
            transports::twice(&mut case, site);
            case.terminate().build()
        })
        .collect()
}
