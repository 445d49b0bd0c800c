//! Lines of styled text, and the last check before they are printed.

use crate::text::{visible, width};
use anstyle::{AnsiColor, Style};
use std::io;

/// No style.
pub(crate) const PLAIN: Style = Style::new();
/// For less important text.
pub(crate) const DIM: Style = Style::new().dimmed();
/// For emphasis.
pub(crate) const BOLD: Style = Style::new().bold();
/// For failures.
pub(crate) const RED: Style = AnsiColor::Red.on_default().bold();
/// For passes.
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
/// For doubtful results.
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
/// For remarks.
pub(crate) const CYAN: Style = AnsiColor::Cyan.on_default();

/// One line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    spans: Vec<(Style, String)>,
}

impl Line {
    /// A line of plain text.
    pub(crate) fn plain(text: &str) -> Line {
        Line::default().add(PLAIN, text)
    }

    /// A line that begins with this many spaces.
    pub(crate) fn indented(columns: usize) -> Line {
        Line::default().to(columns)
    }

    /// Adds text, with control characters made visible.
    #[must_use]
    pub(crate) fn add(mut self, style: Style, text: &str) -> Line {
        let text = visible(text);
        match self.spans.last_mut() {
            Some((last, before)) if *last == style => before.push_str(&text),
            _ => self.spans.push((style, text.into_owned())),
        }
        self
    }

    /// Fills with spaces up to a column.
    #[must_use]
    pub(crate) fn to(self, column: usize) -> Line {
        let gap = column.saturating_sub(self.width());
        if gap > 0 {
            self.add(PLAIN, &" ".repeat(gap))
        } else {
            self
        }
    }

    /// Its width in columns.
    pub(crate) fn width(&self) -> usize {
        self.spans.iter().map(|(_, text)| width(text)).sum()
    }

    /// Its text without styles, safe for programs that read logs.
    pub(crate) fn text(&self) -> String {
        let text: String = self.spans.iter().map(|(_, text)| text.as_str()).collect();
        harmless(text.trim_end())
    }

    /// Writes it, followed by a line feed.
    pub(crate) fn write(&self, color: bool, sink: &mut dyn io::Write) -> io::Result<()> {
        let text = self.text();
        let whole: String = self.spans.iter().map(|(_, text)| text.as_str()).collect();
        if !color || text != whole.trim_end() {
            return writeln!(sink, "{text}");
        }
        let mut left = text.len();
        for (style, span) in &self.spans {
            let span = &span[..span.len().min(left)];
            left -= span.len();
            if *style == PLAIN || span.is_empty() {
                sink.write_all(span.as_bytes())?;
            } else {
                write!(sink, "{style}{span}{style:#}")?;
            }
        }
        sink.write_all(b"\n")
    }
}

/// Breaks text that a CI server would interpret as a command in a log line: `::name::` at its start
/// (GitHub), `##[name]`, `##vso[…]`, `##teamcity[…]` anywhere.
fn harmless(text: &str) -> String {
    let mut text = text.to_owned();
    let mut from = 0;
    while let Some(found) = text[from..].find("##") {
        let at = from + found + 1;
        let after = text[at + 1..].trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        if after.starts_with('[') {
            text.insert(at, '\\');
        }
        from = at;
    }
    let start = text.len() - text.trim_start().len();
    if text[start..].starts_with("::") {
        text.insert(start, '\\');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_lines_are_no_commands() {
        assert_eq!(harmless("  ::error::x"), "  \\::error::x");
        assert_eq!(
            harmless("a ##[group]b ###vso[x]"),
            "a #\\#[group]b ##\\#vso[x]"
        );
        assert_eq!(harmless("## heading :: text"), "## heading :: text");
    }

    #[test]
    fn colours_are_written_only_when_asked_for() {
        let line = Line::plain("a ").add(RED, "b").to(8);
        let mut plain = Vec::new();
        let mut colored = Vec::new();
        line.write(false, &mut plain).expect("a vector");
        line.write(true, &mut colored).expect("a vector");
        assert_eq!(plain, b"a b\n");
        assert_eq!(colored, b"a \x1b[1m\x1b[31mb\x1b[0m\n");
    }
}
