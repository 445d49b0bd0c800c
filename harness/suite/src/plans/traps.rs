//! Baits that leave a trace if the subject runs them, in values and in names, and paths that lead
//! out of a directory.

use crate::effort::Effort;
use crate::instance::{Instance, SCRATCH, scratch_dir};
use crate::plans::batch::Batch;
use crate::plans::subjects::subjects;
use crate::setting::Setting;
use crate::values::{BAITS, Bait, CANARY, NAMES};
use std::collections::BTreeSet;
use stickler_reading::{above, within};
use stickler_transcript::{
    Bytes, Case, Drift, Provenance, Relation, Role, Trap, TrapKind, Value, Variation,
};

/// A batch with baits in names of attributes. What handles names is the same for all examples.
pub(super) fn names(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    let first = subjects(setting, effort).into_iter().next();
    first.as_ref().map(baited_names).into_iter().collect()
}

/// Batches with baits in the values of attributes and of the identity.
pub(super) fn values(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    let mut batches = Vec::new();
    for instance in subjects(setting, effort) {
        let executes = &setting.config.subject.executes;
        let mut fields = instance.leaf_fields();
        fields.extend(instance.identity_fields());
        fields.retain(|field| !executes.contains(field));
        for field in fields {
            batches.extend(baited(setting, &instance, &field));
        }
    }
    batches
}

/// A batch with a bait in the name of one more attribute.
fn baited_names(instance: &Instance) -> Batch {
    let mut variants = Vec::new();
    let mut traps = Vec::new();
    for (number, bait) in NAMES.iter().enumerate() {
        let (name, trap) = trap(bait, number);
        let mut changed = instance.variant(
            Variation::Canary,
            &name,
            &format!(":name.{number}"),
            format!("with a bait ({}) as the name of an attribute", bait.name),
        );
        changed.set(&name, Value::text("x"));
        changed.provenance = Provenance::Beyond;
        variants.push(changed);
        traps.push(trap);
    }
    let id = format!("canary-names/{}", instance.info.label);
    batch(id, instance, variants, traps)
}

/// A text with its bait filled in, and the trap that shows whether the bait is taken.
fn trap(bait: &Bait, number: usize) -> (String, Trap) {
    let sign = format!("{SCRATCH}/canary.{number}");
    let text = bait
        .after
        .replace("CANARY", "NAME NUMBER")
        .replace("NAME", CANARY)
        .replace("NUMBER", &number.to_string())
        .replace("SIGN", &sign);
    let trap = Trap {
        kind: match bait.computed {
            Some(_) => TrapKind::Computed,
            None => TrapKind::Command,
        },
        sign: bait.computed.map_or_else(|| sign.into(), Bytes::from),
        bait: text.clone().into(),
    };
    (text, trap)
}

fn batch(id: String, origin: &Instance, variants: Vec<Instance>, traps: Vec<Trap>) -> Batch {
    Batch {
        part: 0,
        id,
        origin: origin.clone(),
        variants,
        relation: Relation::Traps,
        group: None,
        traps,
        evaluate: true,
        again: false,
        undone: Vec::new(),
    }
}

fn baited(setting: &Setting<'_>, instance: &Instance, field: &str) -> Option<Batch> {
    let base = instance.leaf(field)?.to_vec();
    let mut variants = Vec::new();
    let mut traps = Vec::new();
    for (number, bait) in BAITS.iter().enumerate() {
        if bait.json_only && !setting.sends_any_text() {
            continue;
        }
        // The promiser must remain a path, or validation rejects it.
        if bait.whole && instance.is_identity(field) && base.starts_with(b"/") {
            continue;
        }
        let (after, mut trap) = trap(bait, number);
        let value = if bait.whole {
            after.into_bytes()
        } else {
            [bait.before.as_bytes(), &base, after.as_bytes()].concat()
        };
        trap.bait = Bytes::from(&value[..]);
        let mut changed = instance.variant(
            Variation::Canary,
            field,
            &format!(":{number}"),
            format!("\"{field}\" with a bait ({})", bait.name),
        );
        changed.provenance = bait.provenance;
        changed.set_leaf(field, value);
        variants.push(changed);
        traps.push(trap);
    }
    let id = format!("canary/{}/{field}", instance.info.label);
    Some(batch(id, instance, variants, traps))
}

/// Values that are names, alone or in a container, and become parts of paths. `..` and links in
/// them must not lead outside, and neither must links in a directory tree that a promise manages.
pub(super) fn escapes(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for instance in subjects(setting, effort) {
        let mut fields = instance.text_fields();
        fields.extend(instance.identity_fields());
        for field in &fields {
            cases.extend(in_tree(setting, &instance, field));
        }
        fields.extend(instance.leaf_fields());
        let fields: BTreeSet<String> = fields.into_iter().collect();
        for field in fields {
            let Some(named) = named(setting, &instance, &field) else {
                continue;
            };
            let up = |role, text: &[u8]| up(setting, &instance, &field, named.name, role, text);
            cases.push(up("up", UP));
            if setting.sends_any_text() {
                // A pattern that is matched line by line accepts this value.
                cases.push(up("up-line", &[UP, b"\n", named.name].concat()));
            }
            cases.extend(through_link(setting, &instance, &field, &named));
        }
    }
    cases
}

/// A name in a value that became part of a path, and the directory that contains it.
struct Named<'s> {
    name: &'s [u8],
    root: &'s [u8],
}

fn named<'s>(setting: &'s Setting<'_>, instance: &'s Instance, field: &str) -> Option<Named<'s>> {
    let scratch = scratch_dir(0);
    let label = &instance.info.label;
    let touched = setting.knowledge.touched.iter();
    let own = touched.filter(|(known, _)| known == label);
    instance.words(field).into_iter().find_map(|name| {
        // Within the scratch space, only the scratch directory counts: the harness chose the path
        // above it.
        let root = own
            .clone()
            .filter_map(|(_, path)| above(path, name))
            .find(|root| within(root, scratch.as_bytes()) || !within(root, SCRATCH.as_bytes()))?;
        Some(Named { name, root })
    })
}

/// Leads out of a directory.
const UP: &[u8] = b"../stickler-outside";

fn up(
    setting: &Setting<'_>,
    instance: &Instance,
    field: &str,
    name: &[u8],
    role: &str,
    text: &[u8],
) -> Case {
    let shown = String::from_utf8_lossy(text).replace('\n', "\\n");
    let words = match instance.text(field) {
        Some(_) => format!("\"{field}\" is \"{shown}\""),
        None => format!("\"{field}\" holds \"{shown}\""),
    };
    let mut changed = instance.variant(Variation::Escape, field, &format!(":{role}"), words);
    changed.rename(field, name, text);
    escape(setting, instance, &changed, field, role, &[])
}

fn through_link(
    setting: &Setting<'_>,
    instance: &Instance,
    field: &str,
    named: &Named<'_>,
) -> Option<Case> {
    if !named.root.starts_with(SCRATCH.as_bytes()) {
        return None;
    }
    let outside = format!("{SCRATCH}/home/stickler-outside");
    let words = format!("\"{field}\" leads through a link");
    let mut changed = instance.variant(Variation::Escape, field, ":link", words);
    changed.rename(field, named.name, b"stickler-link/inner");
    let drifts = [
        Drift::Directory {
            path: outside.clone().into(),
        },
        Drift::Link {
            path: [named.root, b"/stickler-link"].concat().into(),
            target: outside.into(),
        },
    ];
    Some(escape(setting, instance, &changed, field, "link", &drifts))
}

/// Puts a link that leads outside into a directory below which the example changed something.
fn in_tree(setting: &Setting<'_>, instance: &Instance, field: &str) -> Option<Case> {
    let top = instance.text(field)?;
    let label = &instance.info.label;
    let touched = setting.knowledge.touched.iter().any(|(known, path)| {
        let below = |rest: &[u8]| rest.len() > 1 && rest.starts_with(b"/");
        known == label && path.strip_prefix(top).is_some_and(below)
    });
    if !touched || !top.starts_with(scratch_dir(0).as_bytes()) {
        return None;
    }
    let outside = format!("{SCRATCH}/home/stickler-outside");
    let words = "a link in its directory leads out".to_owned();
    let changed = instance.variant(Variation::Escape, field, ":tree", words);
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
    Some(escape(setting, instance, &changed, field, "tree", &drifts))
}

fn escape(
    setting: &Setting<'_>,
    instance: &Instance,
    changed: &Instance,
    field: &str,
    role: &str,
    drifts: &[Drift],
) -> Case {
    let label = &instance.info.label;
    let mut case = setting.case(format!("escape-{role}/{label}/{field}"));
    case.member(Relation::Escape, label, Role::Escape)
        .setup(instance)
        .drifts(drifts)
        .trap(Trap {
            kind: TrapKind::Escape,
            sign: "stickler-outside".into(),
            bait: changed.text(field).unwrap_or_default().into(),
        })
        .observing()
        .open()
        .validate(changed)
        .evaluate(changed)
        .terminate()
        .build()
}
