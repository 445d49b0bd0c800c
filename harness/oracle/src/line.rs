//! The JSON form of a comparison: JSON Lines of a published schema.

use crate::{Compared, Difference, RunName, RunVerdict, Tally};
use serde::Serialize;
use std::path::Path;

/// The JSON Schema (2020-12) of one line.
pub fn json_schema() -> &'static str {
    include_str!("../../../docs/schema/diff.schema.json")
}

/// A line.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Line<'a> {
    /// A difference of a run.
    Difference {
        /// The run.
        #[serde(flatten)]
        run: &'a RunName,
        /// The difference.
        #[serde(flatten)]
        found: &'a Difference,
    },
    /// The end of a run.
    Mode {
        /// The run.
        #[serde(flatten)]
        run: &'a RunName,
        /// Does the run not fail the comparison?
        agree: bool,
        /// The result.
        verdict: RunVerdict,
        /// How the peer's run ended.
        exit: &'a str,
        /// If neither side accepts the input: why.
        #[serde(skip_serializing_if = "Option::is_none")]
        rejected: Option<&'a str>,
        /// Aspects that could not be compared.
        not_compared: &'a [&'static str],
    },
    /// A generated input on which the sides differ.
    Generated(Generated<'a>),
    /// The last line.
    Summary {
        /// The file, if one was compared.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<&'a str>,
        /// The seed, if inputs were generated.
        #[serde(skip_serializing_if = "Option::is_none")]
        seed: Option<u64>,
        /// The peer.
        peer: &'a str,
        /// The number of runs.
        runs: u64,
        /// By result.
        #[serde(flatten)]
        tally: Tally,
    },
}

/// A generated input on which the sides differ, made smaller.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Generated<'a> {
    /// The seed of this input.
    pub seed: u64,
    /// The mode in which it ran.
    pub mode: &'a str,
    /// The file that holds it.
    pub file: &'a Path,
    /// The command that shows the difference again.
    pub again: &'a str,
    /// The input.
    pub input: &'a str,
    /// The differences.
    pub differences: &'a [Difference],
}

impl<'a> Line<'a> {
    /// The lines of a run: its differences, and its end.
    pub fn of_run(compared: &'a Compared) -> impl Iterator<Item = Line<'a>> {
        let Compared {
            run,
            verdict,
            comparison,
            ..
        } = compared;
        let differences = comparison.differences.iter();
        differences
            .map(move |found| Line::Difference { run, found })
            .chain([Line::Mode {
                run,
                agree: *verdict != RunVerdict::Differ,
                verdict: *verdict,
                exit: &comparison.exit,
                rejected: comparison.rejected.as_deref(),
                not_compared: &comparison.not_compared,
            }])
    }

    /// The line as text.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}
