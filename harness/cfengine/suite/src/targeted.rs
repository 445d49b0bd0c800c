//! The agents that a module must work with.
//!
//! Most messages are the same for all of them. The suite sends those of the oldest; where a newer one writes a text
//! otherwise, it gets sessions of its own.

use crate::requests::{Requests as _, Spoken as _};
use cfengine_protocol::Facts;
use cfengine_protocol::release::{Compat, Release};
use cfengine_protocol::wire::{Operation, Style, json};
use stickler_suite::plans::Batch;
use stickler_suite::{Instance, Setting, Speech};
use stickler_transcript::{Relation, Variation};

/// The targeted releases, from the oldest to the newest.
fn targets(setting: &Setting<'_>) -> Vec<&'static Release> {
    Facts::of(&setting.verbs.facts(setting)).releases()
}

/// The release that a case plays: the one of this version, else the oldest targeted one.
pub(crate) fn played(setting: &Setting<'_>, version: Option<&str>) -> &'static Release {
    let named = version.and_then(Release::named);
    named
        .or_else(|| targets(setting).first().copied())
        .unwrap_or_else(Release::oldest)
}

/// How it writes messages.
pub(crate) fn style(release: &'static Release) -> Style {
    match release.escapes_bytes {
        true => Style::Release(release),
        // Its names, which are no JSON if they have quotes, would only show that modules refuse that.
        false => Style::Agent,
    }
}

/// Whose behaviour the reference agent has in the suite's sessions.
pub(crate) fn compat(setting: &Setting<'_>) -> Compat {
    match setting.speech {
        Speech::Agent => Compat::Deployed(played(setting, None)),
        Speech::Spec => Compat::Specification,
    }
}

/// The batches, and for each newer release those texts that it alone writes so.
pub(crate) fn for_each(setting: &Setting<'_>, batches: Vec<Batch>) -> Vec<Batch> {
    if setting.speech == Speech::Spec || !setting.json() {
        return batches;
    }
    let targets = targets(setting);
    let mut all = Vec::new();
    for mut batch in batches {
        let texts = batch.relation == Relation::Text;
        let of_newer = |(newer, release): (usize, &&'static Release)| {
            let known = &targets[..newer];
            let anew = |variant: &&Instance| {
                let own = written(setting, variant, release);
                let others = known.iter().map(|older| written(setting, variant, older));
                is_text(variant)
                    && json::parse(&own).is_ok()
                    && others.into_iter().all(|it| it != own)
            };
            let variants = batch.variants.iter().filter(anew);
            let variants: Vec<Instance> = variants.map(|it| as_sent_by(it, release)).collect();
            let id = format!("{}/{}", batch.id, release.version);
            (!variants.is_empty()).then(|| Batch {
                id,
                variants,
                again: false,
                partner: Some(release.version),
                ..batch.clone()
            })
        };
        let further: Vec<Batch> = match texts {
            true => targets
                .iter()
                .enumerate()
                .skip(1)
                .filter_map(of_newer)
                .collect(),
            false => Vec::new(),
        };
        // What the oldest one writes here may be no JSON.
        if let Some(usual) = targets.first().filter(|usual| usual.escapes_bytes) {
            let is_json = |it: &Instance| json::parse(&written(setting, it, usual)).is_ok();
            batch
                .variants
                .retain(|it| it.info.variation != Some(Variation::Name) || is_json(it));
        }
        all.push(batch);
        all.extend(further);
    }
    all
}

/// Is it a text, written as agents write texts?
fn is_text(variant: &Instance) -> bool {
    use Variation::{Control, Name, Text};
    !variant.ascii && matches!(variant.info.variation, Some(Text | Control | Name))
}

/// The message about a variant, as a release writes it.
fn written(setting: &Setting<'_>, variant: &Instance, release: &'static Release) -> Vec<u8> {
    let request = setting.case("").request(Operation::Validate, variant);
    request.encode(setting.protocol(), style(release))
}

fn as_sent_by(variant: &Instance, release: &Release) -> Instance {
    let mut variant = variant.clone();
    let version = release.version;
    variant.info.label = format!("{}@{version}", variant.info.label).into();
    let words = variant.info.description.unwrap_or_default();
    variant.info.description = Some(format!("{words}, as cf-agent {version} sends it"));
    variant
}
