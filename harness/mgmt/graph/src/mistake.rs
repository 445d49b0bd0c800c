//! A mistake in a file: where it is, what is wrong, and what to do.

use std::fmt;
use stickler_caret::Caret;

/// A place in a file. Lines and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Default for Place {
    fn default() -> Place {
        Place { line: 1, column: 1 }
    }
}

/// A mistake, without the name of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where it is.
    pub place: Place,
    /// What is wrong, and what to do.
    pub message: String,
}

impl Mistake {
    /// A mistake at a place.
    pub fn at(place: Place, message: impl Into<String>) -> Mistake {
        Mistake {
            place,
            message: message.into(),
        }
    }

    /// The mistake with the name of its file, and the line that it is in.
    pub fn shown<'a>(&'a self, file: &'a str, text: &'a str) -> MistakeInFile<'a> {
        MistakeInFile {
            mistake: self,
            file,
            text,
        }
    }
}

/// A mistake as people read it.
#[derive(Clone, Copy, Debug)]
pub struct MistakeInFile<'a> {
    mistake: &'a Mistake,
    file: &'a str,
    text: &'a str,
}

impl fmt::Display for MistakeInFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column } = self.mistake.place;
        write!(f, "{}:{line}:{column}: {}", self.file, self.mistake.message)?;
        let Some(found) = lines(self.text).nth(line.saturating_sub(1)) else {
            return Ok(());
        };
        let caret = Caret {
            number: line,
            line: found,
            before: column.saturating_sub(1),
            length: 1,
        };
        write!(f, "\n{caret}")
    }
}

/// The lines of a text as YAML counts them: a lone carriage return ends one, too.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        line.split('\r')
    })
}

#[cfg(test)]
mod tests {
    use super::{Mistake, Place, lines};

    #[test]
    fn lines_end_as_in_yaml() {
        let found: Vec<&str> = lines("a\r\nb\rc\n").collect();
        assert_eq!(found, ["a", "b", "c", ""]);
    }

    #[test]
    fn a_mistake_shows_its_line_with_a_mark_below_it() {
        let place = Place { line: 2, column: 3 };
        let shown = Mistake::at(place, "no")
            .shown("g.yaml", "a: 1\nb: x\n")
            .to_string();
        assert_eq!(shown, "g.yaml:2:3: no\n2 | b: x\n  |   ^");
    }
}
