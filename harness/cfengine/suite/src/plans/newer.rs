//! Sessions of newer agents, where they write a text otherwise than the oldest that a module must work with.

use crate::requests::{Requests as _, Spoken as _};
use crate::targeted::{style, targets};
use cfengine_protocol::release::Release;
use cfengine_protocol::wire::{Operation, json};
use stickler_suite::plans::Batch;
use stickler_suite::{Instance, Setting, Speech};
use stickler_transcript::{Relation, Variation};

/// The batches, and for each newer release those texts that it alone writes so.
pub(super) fn for_each(setting: &Setting<'_>, batches: Vec<Batch>) -> Vec<Batch> {
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
