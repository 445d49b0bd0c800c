//! A text with its name, and places in it.

use crate::error::{Error, Kind};

/// Where something was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, as the caller or the catalog named it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// A text whose places are asked for.
pub(crate) struct Source<'t> {
    pub(crate) file: &'t str,
    pub(crate) text: &'t str,
    /// The offsets at which lines begin.
    lines: Vec<usize>,
}

impl<'t> Source<'t> {
    pub(crate) fn new(file: &'t str, text: &'t str) -> Self {
        let breaks = text.bytes().enumerate();
        let starts = breaks
            .filter(|(_, byte)| *byte == b'\n')
            .map(|(at, _)| at + 1);
        Self {
            file,
            text,
            lines: std::iter::once(0).chain(starts).collect(),
        }
    }

    /// The line of an offset, from 1.
    pub(crate) fn line(&self, offset: usize) -> u32 {
        let line = self.lines.partition_point(|&start| start <= offset);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    /// The character of an offset on its line, from 1.
    fn column(&self, offset: usize) -> u32 {
        let line = self.lines.partition_point(|&start| start <= offset);
        let start = self.lines.get(line.wrapping_sub(1)).copied().unwrap_or(0);
        let before = self.text.get(start..offset.min(self.text.len()));
        let column = before.map_or(0, |text| text.chars().count()) + 1;
        u32::try_from(column).unwrap_or(u32::MAX)
    }

    pub(crate) fn place(&self, offset: usize) -> Place {
        Place {
            file: self.file.to_owned(),
            line: self.line(offset),
        }
    }

    pub(crate) fn error(
        &self,
        kind: Kind,
        offset: usize,
        message: impl Into<String>,
    ) -> Box<Error> {
        Box::new(Error {
            file: self.file.to_owned(),
            line: self.line(offset),
            column: self.column(offset),
            message: message.into(),
            kind,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let source = Source::new("f.pp", "é\nßx\n");
        let error = source.error(Kind::Syntax, 5, "m");
        assert_eq!(error.to_string(), "f.pp:2:2: m");
        assert_eq!(
            source.error(Kind::Syntax, 7, "m").to_string(),
            "f.pp:3:1: m"
        );
    }
}
