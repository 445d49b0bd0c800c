//! The sessions with types and providers.

mod changes;
mod features;
mod transports;

use crate::dialect::{ResourceApi, load, open};
use crate::find::folder;
use crate::site;
use stickler_suite::plans::{self, by_themselves};
use stickler_suite::{Effort, Planned, Setting, Stage};
use stickler_transcript::{Case, Relation};

pub(crate) fn plans(
    dialect: &ResourceApi,
    setting: &Setting<'_>,
    stage: Stage,
    effort: Effort,
) -> Vec<Planned> {
    let cases = match stage {
        Stage::First => {
            let mut cases = definitions(setting);
            cases.extend(transports::schemas(setting));
            by_themselves(Relation::Header, cases)
        }
        Stage::Examples => plans::examples(setting),
        Stage::Suite => {
            let mut cases = by_themselves(Relation::Keys, changes::cases(dialect, setting, effort));
            let features = features::cases(dialect, setting, effort);
            cases.extend(by_themselves(Relation::Attributes, features));
            cases.extend(transports::cases(dialect, setting, effort));
            cases
        }
    };
    cases.into_iter().map(Planned::Case).collect()
}

/// Does the module have a folder for the providers of a type?
fn has_provider(setting: &Setting<'_>, kind: &str) -> bool {
    let folder = folder(setting.config);
    folder.is_none_or(|folder| folder.join("lib/puppet/provider").join(kind).is_dir())
}

/// Each type by itself: its definition, and its state twice.
fn definitions(setting: &Setting<'_>) -> Vec<Case> {
    let kinds = setting.config.subject.kinds.iter();
    kinds
        .map(|kind| {
            let mut case = setting.case(format!("type/{kind}"));
            case.observing().open();
            if !has_provider(setting, kind) {
                // The provider is in another module.
                load(&mut case, kind);
                return case.terminate().build();
            }
            let site = site::usual(setting, kind);
            open(&mut case, site);
            transports::twice(&mut case, site);
            case.terminate().build()
        })
        .collect()
}
