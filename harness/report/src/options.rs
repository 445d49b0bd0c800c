//! The options of a report.

/// The appearance of a report. Formats for programs ignore it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Width of the terminal in columns; less than 40 counts as 40.
    pub width: usize,
    /// Write ANSI colours.
    pub color: bool,
    /// Show known failures, waived rules, and each rule that was not judged
    /// with its reason.
    pub verbose: bool,
    /// Leave the last line whole, whatever its width: programs read it.
    pub whole_conclusion: bool,
    /// Name `stickler explain CODE` below each failed rule.
    pub explain_hint: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            width: 100,
            color: false,
            verbose: false,
            whole_conclusion: false,
            explain_hint: true,
        }
    }
}

impl Options {
    /// The width to use, with a minimum so that something fits.
    pub(crate) fn columns(&self) -> usize {
        self.width.max(40)
    }

    /// The same options without colours.
    pub(crate) fn plain(&self) -> Options {
        Options {
            color: false,
            ..self.clone()
        }
    }
}
