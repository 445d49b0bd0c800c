//! Lines about cases: what an author wrote down, and what happened.

use crate::text::escape_json;
use crate::words::finite;
use serde::Serialize;

/// What came of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CaseVerdict {
    /// All went as the case says.
    Pass,
    /// Something else happened.
    Fail,
    /// What happened was written into the case.
    Accepted,
    /// The case is wrong.
    Error,
}

/// A part of a case that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Its name.
    pub part: String,
    /// The difference: `-` is what the case says, `+` is what happened.
    pub diff: String,
}

/// A case that ran.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename = "case")]
pub struct CaseLine {
    /// Its path.
    pub case: String,
    /// Its first line.
    pub title: String,
    /// What came of it.
    pub verdict: CaseVerdict,
    /// What is wrong with it, and where.
    pub message: Option<String>,
    /// What differs.
    pub differences: Vec<Part>,
    /// How long it took.
    pub seconds: f64,
}

/// How a run of cases went.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(tag = "event", rename = "cases")]
pub struct CasesLine {
    /// How many went as they say.
    pub pass: usize,
    /// How many did not.
    pub fail: usize,
    /// How many were written anew.
    pub accepted: usize,
    /// How many are wrong.
    pub error: usize,
    /// How long all took.
    pub seconds: f64,
    /// The exit code.
    pub exit: u8,
    /// Did somebody end the run?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
}

impl CaseLine {
    /// The case as a line of JSON.
    pub fn json(&self) -> String {
        line(&CaseLine {
            seconds: finite(self.seconds),
            ..self.clone()
        })
    }
}

impl CasesLine {
    /// The run as a line of JSON.
    pub fn json(&self) -> String {
        line(&CasesLine {
            seconds: finite(self.seconds),
            ..self.clone()
        })
    }
}

fn line(of: &impl Serialize) -> String {
    let text = serde_json::to_string(of).unwrap_or_default();
    format!("{}\n", escape_json(&text))
}
