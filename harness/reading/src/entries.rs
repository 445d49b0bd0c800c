//! Describes in words how two entries at a path differ.

use crate::words::{cut, visible};
use stickler_transcript::{Bytes, Entry, FileType};

/// How many characters of a line are shown.
const SHOWN: usize = 60;

/// Is the same at a path, whatever the mode and the owner?
pub fn same_entry(one: Option<&Entry>, other: Option<&Entry>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => same_content(one, other),
        _ => false,
    }
}

/// Are two entries of one type, with the same content?
pub fn same_content(one: &Entry, other: &Entry) -> bool {
    one.kind == other.kind
        && match (one.kind, &one.digest, &other.digest) {
            (FileType::Directory | FileType::Special, ..) => true,
            (FileType::File, Some(one), Some(other)) => one == other,
            (FileType::File, ..) => one.size == other.size && one.content == other.content,
            (FileType::Link, ..) => one.content == other.content,
        }
}

/// How an entry differs from the expected one, in words that follow the path. `None` if it does
/// not, or only as two runs may differ.
pub fn entry_difference(before: &Entry, after: &Entry) -> Option<String> {
    if before.kind != after.kind {
        return Some(format!(
            "is {} instead of {}",
            kind_words(after.kind),
            kind_words(before.kind)
        ));
    }
    match before.kind {
        FileType::File if before.digest != after.digest && !alike(before, after) => {
            let content = |entry: &'_ Entry| entry.content.clone();
            return Some(content_difference(content(before), content(after)));
        }
        FileType::Link if before.content != after.content => {
            let target = |entry: &Entry| quoted(entry.content.as_deref().unwrap_or_default());
            return Some(format!(
                "leads to {} instead of {}",
                target(after),
                target(before)
            ));
        }
        // Sockets appear and disappear with the processes that serve them.
        FileType::Special => return None,
        FileType::File | FileType::Link | FileType::Directory => {}
    }
    (before.mode != after.mode)
        .then(|| format!("has mode {:04o} instead of {:04o}", after.mode, before.mode))
}

/// The type in words.
pub fn kind_words(kind: FileType) -> &'static str {
    match kind {
        FileType::File => "a file",
        FileType::Directory => "a directory",
        FileType::Link => "a link",
        FileType::Special => "a special file",
    }
}

fn quoted(bytes: &[u8]) -> String {
    format!("`{}`", cut(&visible(bytes), SHOWN))
}

/// How an entry's content differs from the one that an author declared, in words that follow
/// "it". `None` if it does not.
pub(crate) fn declared_difference(wanted: &Bytes, found: &Entry) -> Option<String> {
    if found.content.as_ref() == Some(wanted) {
        return None;
    }
    Some(match found.kind {
        FileType::Link => format!(
            "leads to {} instead of {}",
            quoted(found.content.as_deref().unwrap_or_default()),
            quoted(wanted)
        ),
        _ => content_difference(Some(wanted.clone()), found.content.clone()),
    })
}

/// The first line that differs.
fn content_difference(before: Option<Bytes>, after: Option<Bytes>) -> String {
    let (Some(before), Some(after)) = (before, after) else {
        return "has other content".into();
    };
    if before.contains(&0) || after.contains(&0) {
        return "has other content".into();
    }
    if after.is_empty() {
        return "is empty".into();
    }
    let is_end = |byte: &u8| *byte == b'\n';
    let (mut before, mut after) = (
        before.split_inclusive(is_end),
        after.split_inclusive(is_end),
    );
    let mut number = 0;
    let (before, after) = loop {
        match (before.next(), after.next()) {
            (Some(one), Some(other)) if one == other => number += 1,
            differing => break differing,
        }
    };
    match (before, after) {
        (Some(before), Some(after)) if number == 0 => {
            format!(
                "begins with {} instead of {}",
                quoted(after),
                quoted(before)
            )
        }
        (Some(before), Some(after)) => {
            let (before, after) = (quoted(before), quoted(after));
            format!("has {after} instead of {before} in line {}", number + 1)
        }
        (Some(before), None) => format!("ends before line {}, {}", number + 1, quoted(before)),
        (None, Some(after)) => format!("has an additional line {}, {}", number + 1, quoted(after)),
        (None, None) => "has other content".into(),
    }
}

/// Do the contents differ only as two runs may, even within one second? Text files may differ in
/// digits (times, numbers). Binary files (databases) may differ anywhere.
fn alike(before: &Entry, after: &Entry) -> bool {
    let (Some(one), Some(other)) = (&before.content, &after.content) else {
        return before.size == after.size;
    };
    let (short, long) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    if short.len() < long.len() && long.starts_with(short) {
        // A truncated file is not the whole file.
        return false;
    }
    if one.contains(&0) || other.contains(&0) {
        return true;
    }
    let letters = |text: &[u8]| -> Vec<u8> {
        text.iter()
            .copied()
            .filter(|byte| !byte.is_ascii_digit())
            .collect()
    };
    letters(one) == letters(other)
}
