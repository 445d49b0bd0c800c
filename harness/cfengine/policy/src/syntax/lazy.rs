//! Parts of `syntax.txt` that are parsed on first access, since a policy needs few of them.

use std::ops::Deref;
use std::sync::OnceLock;

/// The parsed value of some lines; they are parsed once.
#[derive(Debug)]
pub struct Lazy<T: 'static> {
    items: &'static str,
    read: fn(&'static str) -> T,
    value: OnceLock<T>,
}

impl<T> Lazy<T> {
    pub(super) fn new(read: fn(&'static str) -> T, items: &'static str) -> Self {
        Self {
            items,
            read,
            value: OnceLock::new(),
        }
    }
}

impl<T> Deref for Lazy<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.get_or_init(|| (self.read)(self.items))
    }
}

/// Unindented lines, each with the indented lines below it. Comments are skipped.
pub(super) fn blocks(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (header, below) = rest.split_once('\n').filter(|_| !rest.is_empty())?;
        let mut end = 0;
        while below[end..].starts_with(' ') {
            let line = memchr::memchr(b'\n', &below.as_bytes()[end..]);
            end = line.map_or(below.len(), |line| end + line + 1);
        }
        let (items, behind) = below.split_at(end);
        rest = behind;
        Some((header, items))
    })
    .filter(|(header, _)| !header.starts_with('#'))
}

/// The lines of a block, without their indentation.
pub(super) fn items(items: &'static str) -> impl Iterator<Item = &'static str> {
    items.lines().filter_map(|line| line.strip_prefix("  "))
}
