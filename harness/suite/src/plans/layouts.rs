//! The file that an item wrote, in another layout, or with its lines doubled.

use crate::effort::Effort;
use crate::instance::Instance;
use crate::plans::disturbed::document;
use crate::plans::near::next;
use crate::plans::subjects::subjects;
use crate::setting::Setting;
use stickler_transcript::{Bytes, Case, Drift, Purpose, Variation};

/// The end of a label, words for people, and the change to the file's content.
type Layout = (&'static str, &'static str, Change);
type Change = fn(&[u8]) -> Vec<u8>;

const LAYOUTS: &[Layout] = &[
    ("unended", "lacks its last newline", |own| {
        own.strip_suffix(b"\n").unwrap_or(own).to_vec()
    }),
    ("longer", "ends with an empty line", |own| {
        [own, b"\n"].concat()
    }),
    ("blanks", "has a trailing space on each line", |own| {
        lines(own, b"", b" ")
    }),
    ("returns", "has carriage returns", |own| {
        lines(own, b"", b"\r")
    }),
    ("indented", "is indented", |own| lines(own, b"  ", b"")),
    ("twice", "has every line twice", |own| [own, own].concat()),
    (
        "before",
        "has changed copies of its lines before them",
        |own| [&other_ends(own)[..], own].concat(),
    ),
    (
        "after",
        "has changed copies of its lines after them",
        |own| [own, &other_ends(own)].concat(),
    ),
    ("document", "has different whitespace", other_blanks),
    ("empty", "is empty", |_| Vec::new()),
];

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    if !setting.sandboxed {
        return Vec::new();
    }
    let repaired = &setting.knowledge.repaired;
    subjects(setting, effort)
        .iter()
        .filter(|instance| repaired.contains(&instance.info.label) && instance.stays_kept())
        .filter_map(|instance| laid_out(setting, instance))
        .collect()
}

/// Evaluates twice after each change: the second evaluation must have nothing to do.
fn laid_out(setting: &Setting<'_>, instance: &Instance) -> Option<Case> {
    let label = &instance.info.label;
    let made = setting.knowledge.made_by(label);
    let file = instance.file_among(&made);
    let content = setting.knowledge.content(label, file)?;
    // Other bytes at the end of a database are damage.
    if std::str::from_utf8(content).is_err() || content.contains(&0) {
        return None;
    }
    let mut case = setting.case(format!("layouts/{label}"));
    case.setup(instance)
        .observing()
        .open()
        .validate(instance)
        .evaluate(instance);
    for (name, how, change) in LAYOUTS {
        let other = change(content);
        if other[..] == content[..] {
            continue;
        }
        let words = format!("where its file {how}");
        let variant = instance.altered(Variation::Layout, &format!(":{name}"), words);
        case.drift(Drift::Write {
            path: Bytes::from(file),
            content: other.into(),
        })
        .observe("laid out")
        .validate(&variant)
        .evaluate(&variant)
        .evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, &variant);
    }
    Some(case.terminate().build())
}

/// Adds something before and after the text of each line.
fn lines(content: &[u8], before: &[u8], after: &[u8]) -> Vec<u8> {
    content
        .split_inclusive(|byte| *byte == b'\n')
        .flat_map(|line| match line.strip_suffix(b"\n") {
            Some(text) => [before, text, after, b"\n"].concat(),
            None => [before, line, after].concat(),
        })
        .collect()
}

/// Changes the last letter or digit of each line, which usually changes a value.
fn other_ends(content: &[u8]) -> Vec<u8> {
    let mut other = content.to_vec();
    for line in other.split_mut(|byte| *byte == b'\n') {
        if let Some(last) = line.iter_mut().rfind(|byte| byte.is_ascii_alphanumeric()) {
            *last = next(*last);
        }
    }
    other
}

/// Formats a JSON document as another writer would: on one line, or else on several.
fn other_blanks(content: &[u8]) -> Vec<u8> {
    let Some(document) = document(content) else {
        return content.to_vec();
    };
    let close = document.to_string();
    if content.trim_ascii() == close.as_bytes() {
        format!("{document:#}\n").into_bytes()
    } else {
        close.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::{lines, other_blanks, other_ends};

    #[test]
    fn each_line_is_changed_and_ends_as_before() {
        assert_eq!(lines(b"a\n\nb", b"  ", b"\r"), b"  a\r\n  \r\n  b\r");
        assert_eq!(lines(b"", b" ", b""), b"");
    }

    #[test]
    fn each_line_ends_otherwise() {
        assert_eq!(
            other_ends(b"port = 80;\n\n}\nname=z\n"),
            b"port = 81;\n\n}\nname=a\n"
        );
    }

    #[test]
    fn documents_have_other_blanks() {
        assert_eq!(other_blanks(b"{ \"a\": 1 }\n"), b"{\"a\":1}");
        assert_eq!(other_blanks(b"[1]"), b"[\n  1\n]\n");
        assert_eq!(other_blanks(b"3\n"), b"3\n");
        assert_eq!(other_blanks(b"a = 1\n"), b"a = 1\n");
    }
}
