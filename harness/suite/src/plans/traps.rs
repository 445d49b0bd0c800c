//! Baits that show when they are run, and ways out of a directory.

use crate::builder::{CaseBuilder, Setting};
use crate::instance::{Instance, SCRATCH};
use crate::plans::{Batch, subjects};
use crate::run::Effort;
use crate::values::{BAITS, CANARY};
use stickler_promise::wire::Value;
use stickler_transcript::{Bytes, Case, Drift, Trap};

/// Batches of baits in every value.
pub(super) fn canaries(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    let mut batches = Vec::new();
    for instance in subjects(setting, effort) {
        let executes = &setting.config.subject.executes;
        let mut fields = instance.leaf_fields();
        fields.push("promiser".to_owned());
        fields.retain(|field| !executes.contains(field));
        for field in fields {
            batches.extend(baited(setting, &instance, &field));
        }
    }
    batches
}

fn baited(setting: &Setting<'_>, instance: &Instance, field: &str) -> Option<Batch> {
    let base = instance.leaf(field)?.to_vec();
    let mut variants = Vec::new();
    let mut traps = Vec::new();
    for (number, bait) in BAITS.iter().enumerate() {
        if bait.json_only && !setting.json() {
            continue;
        }
        // What a promise is about stays a path: else validation turns it away.
        if bait.whole && field == "promiser" && base.starts_with(b"/") {
            continue;
        }
        let sign = format!("{SCRATCH}/canary.{number}");
        let after = bait
            .after
            .replace("CANARY", "NAME NUMBER")
            .replace("NAME", CANARY)
            .replace("NUMBER", &number.to_string())
            .replace("SIGN", &sign)
            .into_bytes();
        let value = if bait.whole {
            after.clone()
        } else {
            [bait.before.as_bytes(), &base, &after].concat()
        };
        let mut changed = instance.variant(
            "canary",
            field,
            &format!(":{number}"),
            format!("\"{field}\" with a {}", bait.name),
        );
        changed.provenance = bait.provenance;
        changed.set_leaf(field, value.clone());
        variants.push(changed);
        traps.push(Trap {
            kind: if bait.computed.is_some() {
                "computed"
            } else {
                "command"
            }
            .to_owned(),
            sign: bait.computed.map_or_else(|| sign.into(), Bytes::from),
            bait: value.into(),
        });
    }
    Some(Batch {
        id: format!("canary/{}/{field}", instance.info.label),
        origin: instance.clone(),
        variants,
        relation: None,
        traps,
        evaluate: true,
        again: false,
        undone: Vec::new(),
    })
}

/// Lays out the command that leaves a trace.
pub(super) fn lay(case: &mut CaseBuilder<'_>) {
    let script = format!("#!/bin/sh\n: > {SCRATCH}/canary.\"$1\"\n");
    case.plant(
        &format!("{SCRATCH}/bin/{CANARY}"),
        script.into_bytes(),
        0o755,
    )
    .surroundings(|command| {
        for (name, value) in &mut command.env {
            let bin = format!("{SCRATCH}/bin");
            if name.lossy() == "PATH" && !value.starts_with(bin.as_bytes()) {
                *value = format!("{bin}:{}", value.lossy()).into();
            }
        }
    });
}

/// Values that are plain names and become parts of paths: `..` and links in
/// them must not lead out, nor must links in a tree that a promise is about.
pub(super) fn escapes(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for instance in subjects(setting, effort) {
        let label = &instance.info.label;
        let mut fields = instance.text_fields();
        fields.push("promiser".to_owned());
        for field in fields {
            cases.extend(in_tree(setting, &instance, &field));
            let Some(value) = instance.text(&field).filter(|value| is_name(value)) else {
                continue;
            };
            let Some(made) = setting.knowledge.made.iter().find(|(known, path)| {
                known == label && path.split(|byte| *byte == b'/').any(|part| part == value)
            }) else {
                continue;
            };
            cases.push(up(setting, &instance, &field));
            cases.extend(through_link(setting, &instance, &field, &made.1, value));
        }
    }
    cases
}

fn is_name(value: &[u8]) -> bool {
    !value.is_empty() && !value.contains(&b'/') && value != b"." && value != b".."
}

fn up(setting: &Setting<'_>, instance: &Instance, field: &str) -> Case {
    let text = "../stickler-outside";
    let mut changed =
        instance.variant("escape", field, ":up", format!("\"{field}\" is \"{text}\""));
    changed.set(field, Value::text(text));
    escape(
        setting,
        instance,
        &changed,
        field,
        "up",
        "stickler-outside",
        &[],
    )
}

fn through_link(
    setting: &Setting<'_>,
    instance: &Instance,
    field: &str,
    made: &[u8],
    value: &[u8],
) -> Option<Case> {
    // The directory in which the named part was made.
    let parts: Vec<&[u8]> = made.split(|byte| *byte == b'/').collect();
    let at = parts.iter().position(|part| *part == value)?;
    let root = parts[..at].join(&b'/');
    if !root.starts_with(SCRATCH.as_bytes()) {
        return None;
    }
    let outside = format!("{SCRATCH}/home/stickler-outside");
    let mut changed = instance.variant(
        "escape",
        field,
        ":link",
        format!("\"{field}\" leads through a link"),
    );
    changed.set(field, Value::text("stickler-link/inner"));
    let drifts = [
        Drift::Directory {
            path: outside.clone().into(),
        },
        Drift::Link {
            path: [&root[..], b"/stickler-link"].concat().into(),
            target: outside.into(),
        },
    ];
    Some(escape(
        setting,
        instance,
        &changed,
        field,
        "link",
        "stickler-outside",
        &drifts,
    ))
}

/// A directory below which the example changed something gets a link that leads out.
fn in_tree(setting: &Setting<'_>, instance: &Instance, field: &str) -> Option<Case> {
    let top = instance.text(field)?;
    let label = &instance.info.label;
    let touched = setting.knowledge.touched.iter().any(|(known, path)| {
        let below = |rest: &[u8]| rest.len() > 1 && rest.starts_with(b"/");
        known == label && path.strip_prefix(top).is_some_and(below)
    });
    if !touched || !top.starts_with(crate::instance::scratch_dir(0).as_bytes()) {
        return None;
    }
    let outside = format!("{SCRATCH}/home/stickler-outside");
    let words = "a link in its directory leads out".to_owned();
    let changed = instance.variant("escape", field, ":tree", words);
    let drifts = [
        Drift::Directory {
            path: outside.clone().into(),
        },
        Drift::Write {
            path: format!("{outside}/kept").into(),
            content: "kept\n".into(),
        },
        Drift::Link {
            path: [top, b"/stickler-link"].concat().into(),
            target: outside.into(),
        },
    ];
    Some(escape(
        setting,
        instance,
        &changed,
        field,
        "tree",
        "stickler-outside",
        &drifts,
    ))
}

fn escape(
    setting: &Setting<'_>,
    instance: &Instance,
    changed: &Instance,
    field: &str,
    role: &str,
    sign: &str,
    drifts: &[Drift],
) -> Case {
    let label = &instance.info.label;
    let mut case = setting.case(format!("escape-{role}/{label}/{field}"));
    case.member("escape", label, "escape").setup(instance);
    for drift in drifts {
        case.drift(drift.clone());
    }
    case.trap(Trap {
        kind: "escape".into(),
        sign: sign.into(),
        bait: changed.text(field).unwrap_or_default().into(),
    })
    .observing()
    .open()
    .validate(changed)
    .evaluate(changed)
    .terminate()
    .build()
}
