//! Baits that leave a trace if the subject runs them, in values and in names, and paths that lead
//! out of a directory.

use crate::effort::Effort;
use crate::instance::{Instance, SCRATCH, scratch_dir};
use crate::plans::batch::Batch;
use crate::plans::subjects::subjects;
use crate::plans::together::{Together, Tried, together};
use crate::setting::Setting;
use crate::values::{BAITS, Bait, CANARY, NAMES};
use std::collections::{BTreeMap, BTreeSet};
use stickler_reading::{above, within};
use stickler_transcript::{
    Bytes, Case, Drift, Name, Provenance, Relation, Role, Trap, TrapKind, Value, Variation,
};

/// A batch with baits in names of attributes. What handles names is the same for all examples.
pub(super) fn names(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    let first = subjects(setting, effort).into_iter().next();
    first.as_ref().and_then(baited_names).into_iter().collect()
}

/// Batches with baits in the values of attributes and of the identity, one value at a time.
pub(super) fn values(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    let mut batches = Vec::new();
    for instance in subjects(setting, effort) {
        for field in fields(setting, &instance) {
            let baits = BAITS.iter().enumerate();
            let baited = baits.filter_map(|(number, bait)| {
                let (variant, trap) = baited(setting, &instance, &field, bait, number)?;
                Some((alone(variant), vec![trap]))
            });
            let id = format!("canary/{}/{field}", instance.info.label);
            batches.extend(batch(id, &instance, baited));
        }
    }
    batches
}

/// Batches with the same bait in all values of attributes; and in the identity, which makes another item,
/// with what is set once, when an item is made.
/// What was tried on one item of a kind is not tried on the next one.
pub(super) fn all_values(setting: &Setting<'_>, effort: Effort) -> Vec<Batch> {
    let mut batches = Vec::new();
    let mut tried = Tried::default();
    let mut items = subjects(setting, effort);
    // An item that never comes about shows little.
    items.sort_by_key(|item| !setting.knowledge.repaired.contains(&item.info.label));
    for instance in items {
        let fields = tried.new_ones(&instance, fields(setting, &instance), effort);
        let (identity, attributes): (Vec<String>, Vec<String>) =
            fields.into_iter().partition(|field| {
                instance.is_identity(field) || setting.verbs.is_fixed(&instance, field)
            });
        let label = &instance.info.label;
        let name = instance.name_field();
        for (id, fields) in [
            (format!("canary/{label}"), attributes),
            (format!("canary/{label}/{name}"), identity),
        ] {
            let count = fields.len();
            let baited = BAITS.iter().enumerate().filter_map(|(number, bait)| {
                let each = fields.iter().enumerate();
                let each = each.filter_map(|(at, field)| {
                    baited(setting, &instance, field, bait, number * count + at)
                });
                let (singles, traps): (Vec<Instance>, Vec<Trap>) = each.unzip();
                let suffix = format!(":{number}");
                let words = format!("a bait ({})", bait.name);
                let kind = Variation::Canary;
                let all = together(setting, &instance, kind, &suffix, &words, singles)?;
                Some((all, traps))
            });
            batches.extend(batch(id, &instance, baited));
        }
    }
    batches
}

/// The fields whose values get baits.
fn fields(setting: &Setting<'_>, instance: &Instance) -> Vec<String> {
    let mut fields = instance.leaf_fields();
    fields.extend(instance.identity_fields());
    fields.retain(|field| !setting.config.subject.executes.contains(field));
    fields
}

fn alone(variant: Instance) -> Together {
    Together {
        variant,
        apart: Vec::new(),
    }
}

/// A batch with a bait in the name of one more attribute.
fn baited_names(instance: &Instance) -> Option<Batch> {
    let baited = NAMES.iter().enumerate().map(|(number, bait)| {
        let (name, trap) = trap(bait, number);
        let mut changed = instance.variant(
            Variation::Canary,
            &name,
            &format!(":name.{number}"),
            format!("with a bait ({}) as the name of an attribute", bait.name),
        );
        changed.set(&name, Value::text("x"));
        changed.provenance = Provenance::Beyond;
        (alone(changed), vec![trap])
    });
    let id = format!("canary-names/{}", instance.info.label);
    batch(id, instance, baited)
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
        field: None,
    };
    (text, trap)
}

/// A batch of baited variants, each with its traps; `None` without any.
fn batch(
    id: String,
    origin: &Instance,
    baited: impl IntoIterator<Item = (Together, Vec<Trap>)>,
) -> Option<Batch> {
    let mut variants = Vec::new();
    let mut apart: BTreeMap<Name, Vec<Instance>> = BTreeMap::new();
    let mut traps = Vec::new();
    for (each, more) in baited {
        apart.insert(each.variant.info.label.clone(), each.apart);
        variants.push(each.variant);
        traps.extend(more);
    }
    (!variants.is_empty()).then(|| Batch {
        part: 0,
        id,
        origin: origin.clone(),
        variants,
        relation: Relation::TRAPS,
        group: None,
        traps,
        evaluate: true,
        again: false,
        undone: Vec::new(),
        apart,
        whole: false,
        partner: None,
    })
}

/// The instance with a bait in a field, and the trap. `None` if the field cannot take this bait.
fn baited(
    setting: &Setting<'_>,
    instance: &Instance,
    field: &str,
    bait: &Bait,
    number: usize,
) -> Option<(Instance, Trap)> {
    let base = instance.leaf(field)?;
    // The name must remain a path, or validation rejects it.
    let is_path = instance.is_identity(field) && base.starts_with(b"/");
    if bait.json_only && !setting.sends_any_text() || bait.whole && is_path {
        return None;
    }
    let (after, mut trap) = trap(bait, number);
    let value = if bait.whole {
        after.into_bytes()
    } else {
        [bait.before.as_bytes(), base, after.as_bytes()].concat()
    };
    trap.bait = Bytes::from(&value[..]);
    trap.field = Some(field.to_owned());
    let mut changed = instance.variant(
        Variation::Canary,
        field,
        &format!(":{number}"),
        format!("\"{field}\" with a bait ({})", bait.name),
    );
    changed.provenance = bait.provenance;
    changed.set_leaf(field, value);
    Some((changed, trap))
}

/// Values that are names, alone or in a container, and become parts of paths. `..` and links in
/// them must not lead outside, and neither must links in a directory tree that an item manages.
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
    case.member(Relation::ESCAPE, label, Role::Escape)
        .setup(instance)
        .drifts(drifts)
        .trap(Trap {
            kind: TrapKind::Escape,
            sign: "stickler-outside".into(),
            bait: changed.text(field).unwrap_or_default().into(),
            field: Some(field.to_owned()),
        })
        .observing()
        .open()
        .validate(changed)
        .evaluate(changed)
        .terminate()
        .build()
}
