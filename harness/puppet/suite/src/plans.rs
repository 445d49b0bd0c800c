//! The sessions with types and providers.

mod backends;
mod beside;
mod changes;
mod features;
mod generated;
mod instances;
mod neighbours;
mod parameters;
mod partial;
mod questions;
mod replaced;
mod run;
mod runtimes;
mod services;
mod together;
mod transports;
mod unexampled;
mod values;

use crate::requests::open;
use crate::shown::Shown;
use crate::site;
use puppet_protocol::relation::{
    BACKEND, BESIDE, CHANGES, DEFINITIONS, FEATURES, GENERATED, INSTANCES, NEIGHBOURS, PARAMETERS,
    PARTIAL, QUESTIONS, RUN, RUNTIME, SERVICES, TARGETS, TOGETHER, UNEXAMPLED, VALUES,
};
use puppet_protocol::{phase, purpose, request};
use puppet_types::Value;
use stickler_suite::plans::{self, OwnFamily, own, relations_of};
use stickler_suite::{Effort, Planned, PlanningStage, Setting, own_families};
use stickler_transcript::{Case, Relation};

type Table = &'static [OwnFamily<Shown>];

/// What definitions and schemas say. A program of the author's own tells which types there are.
const FIRST: Table = own_families! {
    DEFINITIONS => |shown, setting, _| match () {
        () if !has_types(setting) => Vec::new(),
        () if is_own(setting) => vec![told(setting)],
        () => definitions(shown, setting),
    };
    DEFINITIONS => |_, setting, _| transports::schemas(setting);
};

/// Then, the types of such a program.
const EXAMPLES: Table = own_families! {
    DEFINITIONS => |shown, setting, _| match is_own(setting) {
        true => definitions(shown, setting),
        false => Vec::new(),
    };
};

/// All else about types.
const TYPES: Table = own_families! {
    CHANGES => changes::cases;
    FEATURES => features::cases;
    GENERATED => generated::cases;
    RUN => run::cases;
    UNEXAMPLED => |shown, setting, _| unexampled::cases(shown, setting);
    QUESTIONS => questions::cases;
    SERVICES => services::cases;
    TOGETHER => together::cases;
    BESIDE => beside::cases;
    PARAMETERS => parameters::cases;
    PARTIAL => partial::cases;
    NEIGHBOURS => neighbours::cases;
    INSTANCES => instances::cases;
    RUNTIME => |shown, setting, effort| match is_own(setting) {
        true => Vec::new(),
        false => runtimes::cases(shown, setting, effort),
    };
    Relation::COMMANDS => backends::commands;
    Relation::FOREIGN => replaced::cases;
    BACKEND => backends::files;
};

/// All about transports.
const TRANSPORTS: Table = own_families! {
    TARGETS => transports::cases;
};

/// The relations of all sessions that only types and transports have.
pub(crate) fn relations() -> Vec<Relation> {
    let cases = [FIRST, EXAMPLES, TYPES, TRANSPORTS];
    let cases = cases.into_iter().flat_map(relations_of);
    cases.chain([VALUES]).collect()
}

pub(crate) fn plans(
    shown: &Shown,
    setting: &Setting<'_>,
    stage: PlanningStage,
    effort: Effort,
) -> Vec<Planned> {
    let own = |table| own(table, shown, setting, effort);
    let has_types = has_types(setting);
    let mut cases = match stage {
        PlanningStage::First => own(FIRST),
        PlanningStage::Examples if has_types => {
            let mut cases = own(EXAMPLES);
            cases.extend(plans::examples(setting));
            cases
        }
        PlanningStage::Examples => Vec::new(),
        PlanningStage::Suite => own(TRANSPORTS),
    };
    let mut batches = Vec::new();
    if stage == PlanningStage::Suite && has_types {
        cases.extend(own(TYPES));
        cases.extend(plans::cases(setting, effort));
        batches.extend(plans::batches(setting, effort));
        batches.extend(values::batches(shown, setting, effort));
    }
    let cases = cases.into_iter().map(Planned::Case);
    cases
        .chain(batches.into_iter().map(Planned::Batch))
        .collect()
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
