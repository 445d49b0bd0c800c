//! Policy files, and places in them.

use std::fmt;
use std::rc::Rc;

/// The index of a file in [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(u32);

/// A range in a file: byte offsets; the end is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file of the offsets.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

impl Span {
    /// From the start of `self` to the end of `last`, in the same file.
    pub fn to(self, last: Span) -> Span {
        Span {
            end: last.end.max(self.end),
            ..self
        }
    }
}

/// A place for people: line and column from 1; the column counts bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in bytes.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A policy file.
#[derive(Debug)]
pub struct Source {
    path: Rc<str>,
    bytes: Box<[u8]>,
    /// The offsets of the starts of lines.
    lines: Box<[u32]>,
}

impl Source {
    /// The path, as given.
    pub fn path(&self) -> &Rc<str> {
        &self.path
    }

    /// The whole text.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Line and column of an offset.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        Position {
            line,
            column: (offset - self.lines[line - 1]) as usize + 1,
        }
    }

    /// The text of a line, counted from 1, without its line end; empty if there is none.
    pub fn line(&self, line: usize) -> &[u8] {
        let Some(start) = line.checked_sub(1).and_then(|at| self.lines.get(at)) else {
            return b"";
        };
        let rest = &self.bytes[*start as usize..];
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or(rest);
        line.strip_suffix(b"\r").unwrap_or(line)
    }
}

/// All files that places refer to.
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// Creates an empty set of files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. Text after the first 4 GiB is dropped.
    pub fn add(&mut self, path: impl Into<Rc<str>>, bytes: impl Into<Vec<u8>>) -> FileId {
        let mut bytes = bytes.into();
        bytes.truncate(u32::MAX as usize - 1);
        let starts = memchr::memchr_iter(b'\n', &bytes).map(|at| at as u32 + 1);
        let lines = std::iter::once(0).chain(starts).collect();
        self.files.push(Source {
            path: path.into(),
            bytes: bytes.into(),
            lines,
        });
        FileId(self.files.len() as u32 - 1)
    }

    /// A file that was added.
    pub fn get(&self, file: FileId) -> &Source {
        &self.files[file.0 as usize]
    }

    /// Line and column of the start of a place.
    pub fn position(&self, span: Span) -> Position {
        self.get(span.file).position(span.start)
    }

    /// The text at a place.
    pub fn text(&self, span: Span) -> &[u8] {
        self.get(span.file)
            .bytes()
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_bytes_from_one() {
        let mut sources = Sources::new();
        let file = sources.add("a.cf", "one\r\ntwo\n\nfour");
        let source = sources.get(file);
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(6), Position { line: 2, column: 2 });
        assert_eq!(source.position(14), Position { line: 4, column: 5 });
        assert_eq!(source.line(1), b"one");
        assert_eq!(source.line(3), b"");
        assert_eq!(source.line(4), b"four");
        assert_eq!(source.line(5), b"");
    }
}
