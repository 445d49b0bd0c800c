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
        let mut further = Vec::new();
        if batch.relation == Relation::TEXT {
            let newer = 1..targets.len();
            further.extend(newer.filter_map(|newer| of_newer(setting, &batch, &targets, newer)));
        }
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

/// A batch's texts that a newer release writes as no older one does.
fn of_newer(
    setting: &Setting<'_>,
    batch: &Batch,
    targets: &[&'static Release],
    newer: usize,
) -> Option<Batch> {
    let (older, release) = (&targets[..newer], targets[newer]);
    let is_new = |variant: &Instance| {
        let own = written(setting, variant, release);
        let is_own = |older: &&'static Release| written(setting, variant, older) != own;
        json::parse(&own).is_ok() && older.iter().all(is_own)
    };
    let texts = batch.variants.iter().filter(|it| is_text(it) && is_new(it));
    let variants: Vec<Instance> = texts.map(|it| as_sent_by(it, release)).collect();
    (!variants.is_empty()).then(|| Batch {
        id: format!("{}/{}", batch.id, release.version),
        variants,
        again: false,
        partner: Some(release.version),
        ..batch.clone()
    })
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
