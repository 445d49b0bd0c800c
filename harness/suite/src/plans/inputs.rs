//! Files that an item only reads. The setup wrote them; later they are no text, empty, gone, or
//! something else.

use crate::builder::CaseBuilder;
use crate::effort::Effort;
use crate::instance::{Instance, scratch_dir};
use crate::plans::subjects::disturbable;
use crate::setting::Setting;
use std::collections::BTreeSet;
use stickler_reading::within;
use stickler_transcript::{Bytes, Case, Drift, Provenance, Variation};

/// How many files of an example are disturbed.
const MOST: usize = 2;

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for instance in disturbable(setting, effort) {
        let inputs = inputs(setting, &instance);
        for (number, path) in inputs.iter().take(MOST).enumerate() {
            cases.push(disturbed(setting, &instance, path, number));
        }
        if let Some(path) = inputs.first() {
            cases.push(unreadable(setting, &instance, path));
        }
    }
    cases
}

/// Paths in the scratch directory that the setup names and no evaluation changes.
fn inputs(setting: &Setting<'_>, instance: &Instance) -> Vec<Vec<u8>> {
    let touched = setting.knowledge.touched.iter();
    let touched = touched.filter(|(label, _)| *label == instance.info.label);
    let mut changed: Vec<&[u8]> = touched.map(|(_, path)| &path[..]).collect();
    changed.push(instance.name());
    let is_read_only = |path: &[u8]| {
        let mut changed = changed.iter();
        !changed.any(|other| within(path, other) || within(other, path))
    };
    let root = format!("{}/", scratch_dir(0));
    let words = instance.setup.iter().flatten();
    let paths: BTreeSet<Vec<u8>> = words
        .flat_map(|word| word.split(|byte| !is_of_path(*byte)))
        .filter(|path| path.starts_with(root.as_bytes()) && path.len() > root.len())
        .filter(|path| is_read_only(path))
        .map(<[u8]>::to_vec)
        .collect();
    // An item reads a file that it names, perhaps others in addition.
    let (named, others): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| {
        let fields = instance.text_fields();
        fields
            .iter()
            .any(|field| instance.text(field) == Some(path))
    });
    named.into_iter().chain(others).collect()
}

/// May this byte be part of a path in a script?
fn is_of_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/._-+,@%".contains(&byte) || !byte.is_ascii()
}

/// Disturbs a file in one way after the other, and evaluates after each.
fn disturbed(setting: &Setting<'_>, instance: &Instance, path: &[u8], number: usize) -> Case {
    let at = || Bytes::from(path);
    let write = |content: &[u8]| Drift::Write {
        path: at(),
        content: content.into(),
    };
    let remove = || Drift::Remove { path: at() };
    let ways = [
        ("is no text", vec![write(NO_TEXT)]),
        ("is empty", vec![write(b"")]),
        (
            "is a directory",
            vec![remove(), Drift::Directory { path: at() }],
        ),
        ("does not exist", vec![remove()]),
    ];
    let label = &instance.info.label;
    let mut case = setting.case(format!("inputs/{label}/{}", number + 1));
    begin(&mut case, instance);
    for (way, (what, drifts)) in ways.into_iter().enumerate() {
        // Drifts apply only to what the setup made.
        case.drifts(&drifts);
        let changed = changed(instance, path, way, what);
        evaluate(&mut case, setting, instance, &changed);
    }
    let mut huge = changed(instance, path, 9, "is huge");
    huge.provenance = Provenance::Beyond;
    case.run(huge_file(path));
    evaluate(&mut case, setting, instance, &huge);
    case.terminate().build()
}

/// The subject may not read the file.
fn unreadable(setting: &Setting<'_>, instance: &Instance, path: &[u8]) -> Case {
    let mut case = setting.case(format!("unreadable/{}", instance.info.label));
    case.surroundings(|command| command.unprivileged = true);
    begin(&mut case, instance);
    case.drift(Drift::Mode {
        path: path.into(),
        mode: 0,
    });
    let changed = changed(instance, path, 0, "may not be read");
    evaluate(&mut case, setting, instance, &changed);
    case.terminate().build()
}

/// Bytes that are neither text nor lines.
const NO_TEXT: &[u8] = b"stickler\0was\xff\xfehere\xc3(\xe2\x82\0\n";

/// A command that writes 8 MiB in lines of 1000 letters.
fn huge_file(path: &[u8]) -> Vec<Bytes> {
    let script = "head -c 8388608 /dev/zero | tr '\\0' x | fold -w 1000 >\"$1\" || :";
    let words = ["sh", "-c", script, "sh"].into_iter().map(Bytes::from);
    words.chain([Bytes::from(path)]).collect()
}

fn begin(case: &mut CaseBuilder<'_>, instance: &Instance) {
    case.setup(instance).observing().open();
    case.validate(instance).evaluate(instance);
}

/// Undoes what was done, so that there is something to do, and evaluates.
fn evaluate(
    case: &mut CaseBuilder<'_>,
    setting: &Setting<'_>,
    instance: &Instance,
    changed: &Instance,
) {
    let undone = setting.knowledge.undone.get(&instance.info.label);
    case.drifts(undone.map_or(&[], |drifts| drifts))
        .observe("disturbed")
        .validate(changed)
        .evaluate(changed);
}

/// The example, in words about its file.
fn changed(instance: &Instance, path: &[u8], way: usize, what: &str) -> Instance {
    let root = scratch_dir(0);
    let shown = String::from_utf8_lossy(path).replace(&root, "{dir}");
    let words = format!("\"{shown}\", which it only reads, {what}");
    instance.altered(Variation::Drifted, &format!(":input{way}"), words)
}
