//! Draws a line of a text with carets below a part of it, as errors in files show their place. This
//! crate knows no file format: who calls it finds the place.

use std::fmt;

/// How much of a long line is shown on each side of the place, in characters.
const AROUND: usize = 120;

/// A line with a marked part. Positions are in characters.
#[derive(Clone, Copy, Debug)]
pub struct Caret<'t> {
    /// The number of the line.
    pub number: usize,
    /// The line.
    pub line: &'t str,
    /// How much of it comes before the marked part.
    pub before: usize,
    /// The length of the marked part; at least one caret is drawn.
    pub length: usize,
}

/// Two lines without an end. Control characters are replaced, since they could control the terminal.
/// Tabs are kept, so that the carets are below their place whatever a tab's width is.
impl fmt::Display for Caret<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let visible = |c: char| match c {
            '\t' => c,
            c if c.is_control() => char::REPLACEMENT_CHARACTER,
            c => c,
        };
        let blank = |c: char| if c == '\t' { c } else { ' ' };
        let left = self.before.min(AROUND);
        let around = self.line.chars().skip(self.before - left);
        let shown: String = around.take(left + AROUND).map(visible).collect();
        let margin: String = shown.chars().take(left).map(blank).collect();
        let right = shown.chars().count().saturating_sub(left);
        let carets = "^".repeat(self.length.min(right).max(1));
        let number = self.number.to_string();
        let gutter = " ".repeat(number.len());
        write!(f, "{number} | {shown}\n{gutter} | {margin}{carets}")
    }
}

#[cfg(test)]
mod tests {
    use super::Caret;

    #[test]
    fn the_carets_are_below_their_part() {
        let of = |line, before, length| {
            let caret = Caret {
                number: 12,
                line,
                before,
                length,
            };
            caret.to_string()
        };
        assert_eq!(of("\tfoo \u{1b}", 1, 3), "12 | \tfoo \u{fffd}\n   | \t^^^");
        // The place is at the end of the line, and the part ends in a later one.
        assert_eq!(of("é", 1, 9), "12 | é\n   |  ^");
    }

    #[test]
    fn a_long_line_is_cut_around_the_part() {
        let line = format!("{}foo{}", "é".repeat(500), "é".repeat(500));
        let caret = Caret {
            number: 1,
            line: &line,
            before: 500,
            length: 3,
        };
        let (before, behind) = ("é".repeat(120), "é".repeat(117));
        let margin = " ".repeat(120);
        let shown = format!("1 | {before}foo{behind}\n  | {margin}^^^");
        assert_eq!(caret.to_string(), shown);
    }
}
