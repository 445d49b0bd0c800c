//! Single lines of the file that an item changed: a line that it wrote is commented out; a line
//! that it removed is back, or occurred twice before.

use crate::builder::CaseBuilder;
use crate::effort::Effort;
use crate::instance::Instance;
use crate::plans::disturbed::document;
use crate::plans::subjects::{code, disturbable};
use crate::setting::Setting;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use stickler_reading::words::contains;
use stickler_transcript::{Bytes, Case, Drift, Purpose, Variation};

/// How many lines are tried, and how many places in a file.
const MOST: usize = 2;

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let repaired = &setting.knowledge.repaired;
    disturbable(setting, effort)
        .iter()
        .filter(|instance| repaired.contains(&instance.info.label) && instance.stays_kept())
        .filter_map(|instance| in_lines(setting, instance))
        .collect()
}

fn in_lines(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    let label = &instance.info.label;
    let known = setting.knowledge;
    let made = known.made_by(label);
    let file = instance.file_among(&made);
    let content = known.content(label, file)?;
    let undone = known.undone.get(label).map_or(&[][..], Vec::as_slice);
    let before = undone.iter().find_map(|drift| match drift {
        Drift::Write { path, content } if path[..] == *file => Some(content),
        _ => None,
    });
    // In a JSON document or a binary file, lines have no meaning of their own.
    let is_binary = before
        .into_iter()
        .chain([content])
        .any(|text| text.contains(&0));
    if document(content).is_some() || is_binary {
        return None;
    }
    let (old, new) = (
        before.map_or(Vec::new(), |before| lines(before)),
        lines(content),
    );
    let changes = changes(&old, &new);
    let written = changes.iter().flat_map(|change| &new[change.new_range()]);
    let written = written.filter(|line| names(instance, line) && line[0].is_ascii_alphanumeric());
    let written: Vec<&&[u8]> = written.take(MOST).collect();
    // If the file still contains the names in a removed line, another line replaced it, and both
    // may coexist.
    let is_gone = |line: &&[u8]| {
        let mut words = words(instance).into_iter();
        words.any(|word| contains(line, word) && !contains(content, word))
    };
    let taken = changes.iter().flat_map(|change| {
        let lines = old[change.old_range()].iter();
        lines.map(|line| (change.new_range().end, *line))
    });
    let taken: Vec<(usize, &[u8])> = taken.filter(|(_, line)| names(instance, line)).collect();
    if written.is_empty() && taken.is_empty() {
        return None;
    }
    let mut case = setting.case(format!("lines/{label}"));
    case.setup(instance)
        .observing()
        .open()
        .validate(instance)
        .evaluate(instance);
    let mut evaluated = |kind: Variation, number: usize, words: String, content: Vec<u8>| {
        let variant = instance.altered(kind, &format!(":{number}"), words);
        write(&mut case, file, content)
            .validate(&variant)
            .evaluate(&variant);
    };
    for (number, line) in written.into_iter().enumerate() {
        for (kind, sign) in [(Variation::Lettered, "x"), (Variation::Commented, "#")] {
            let other = [sign.as_bytes(), line].concat();
            let (there, usual) = (code(other.trim_ascii_end()), code(line.trim_ascii_end()));
            let words = format!("with the line {there} in place of {usual}");
            evaluated(kind, number, words, replaced(&new, line, &other));
        }
    }
    let gone = || taken.iter().filter(|(_, line)| is_gone(line));
    for (number, (at, line)) in gone().take(MOST).enumerate() {
        let words = format!("with the removed line {} back", code(line.trim_ascii_end()));
        let content = [&new[..*at], &[*line], &new[*at..]].concat().concat();
        evaluated(Variation::TakenBack, number, words, content);
    }
    if let Some((_, line)) = gone().next().or(taken.first()) {
        let words = "where a line that it removes occurs twice".to_owned();
        let variant = instance.altered(Variation::Doubled, "", words);
        case.drifts(undone);
        write(&mut case, file, replaced(&old, line, &line.repeat(2)))
            .validate(&variant)
            .evaluate(&variant)
            .evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, &variant);
    }
    Some(case.terminate().build())
}

fn write<'c, 's>(
    case: &'c mut CaseBuilder<'s>,
    file: &[u8],
    content: Vec<u8>,
) -> &'c mut CaseBuilder<'s> {
    case.drift(Drift::Write {
        path: Bytes::from(file),
        content: content.into(),
    })
    .observe("lines changed")
}

/// Splits into lines, with their line ends.
fn lines(content: &[u8]) -> Vec<&[u8]> {
    content.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Replaces each occurrence of a line.
fn replaced(lines: &[&[u8]], line: &[u8], by: &[u8]) -> Vec<u8> {
    let of = |own: &&[u8]| {
        if *own == line {
            by.to_vec()
        } else {
            own.to_vec()
        }
    };
    lines.iter().flat_map(of).collect()
}

/// Where two contents differ.
fn changes(old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
    let mut all = capture_diff_slices(Algorithm::Myers, old, new);
    all.retain(|each| !matches!(each, DiffOp::Equal { .. }));
    all
}

/// Does a line contain a text of the item?
fn names(instance: &Instance, line: &[u8]) -> bool {
    words(instance).into_iter().any(|word| contains(line, word))
}

/// The texts of an item, except short ones.
fn words(instance: &Instance) -> Vec<&[u8]> {
    let values = instance
        .attributes
        .iter()
        .flat_map(|(_, value)| value.words());
    let all = values.chain([instance.name()]);
    all.filter(|word| word.len() > 2).collect()
}
