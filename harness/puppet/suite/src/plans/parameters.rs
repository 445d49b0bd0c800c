//! A resource with a parameter that no example gives. What a parameter means is the author's affair, so these sessions
//! are only compared.

use super::beside::most_telling;
use crate::altered::values;
use crate::shown::Shown;
use puppet_protocol::relation;
use puppet_types::Behaviour;
use stickler_suite::{Effort, Setting};
use stickler_transcript::{Case, Role, Variation};

/// So many parameters of each type are tried.
const MOST: usize = 4;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for (item, definition) in most_telling(shown, setting, effort) {
        let parameters = definition.attributes.iter();
        let missing = parameters
            .filter(|one| one.behaviour == Behaviour::Parameter && item.value(&one.name).is_none());
        // A collection has members that can be taken out.
        let with = missing.filter_map(|one| {
            let all = values(setting, &definition, &item, one).into_iter();
            let mut plain = all.filter(|other| other.info.variation != Some(Variation::Text));
            plain
                .find(|other| other.words(&one.name).iter().any(|word| !word.is_empty()))
                .or_else(|| values(setting, &definition, &item, one).into_iter().next())
        });
        for other in with.take(MOST) {
            let words = other.info.description.clone().unwrap_or_default();
            let mut case = setting.case(format!("parameter/{}", other.info.label));
            case.member(
                relation::PARAMETERS,
                &item.info.label,
                Role::variant(&words),
            )
            .setup(&item)
            .observing()
            .open()
            .evaluate(&other);
            cases.push(case.terminate().build());
        }
    }
    cases
}
