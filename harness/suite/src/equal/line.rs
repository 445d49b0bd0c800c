//! The JSON form of a comparison: JSON Lines of a published schema.

use super::hold::Held;
use super::stage::{Answer, ComparisonStage, Round};
use super::verdict::{Aspect, Difference, Verdict};
use serde::Serialize;
use stickler_reading::words::shown;
use stickler_transcript::{Bytes, Case, Entry, FileType};

/// How many characters of a path are written.
const PATH: usize = 4_096;

/// The JSON Schema (2020-12) of one line.
pub fn json_schema() -> &'static str {
    include_str!("../../../../docs/schema/equal.schema.json")
}

/// A line.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Line {
    /// What a subject claims and leaves in a stage.
    Stage {
        /// The stage.
        stage: ComparisonStage,
        /// The subject.
        subject: String,
        /// Its dialect.
        dialect: &'static str,
        /// What it claims.
        claim: Answer,
        /// What it says where it claims no success.
        #[serde(skip_serializing_if = "Option::is_none")]
        why: Option<String>,
        /// What differs from the state before.
        left: Vec<Left>,
    },
    /// A stage that was not held.
    LeftOut {
        /// The stage.
        stage: ComparisonStage,
        /// The subject.
        subject: String,
        /// Why.
        why: String,
    },
    /// A difference.
    Difference {
        /// The stage.
        stage: ComparisonStage,
        /// The subject that differs; none if no side has a majority.
        #[serde(skip_serializing_if = "Option::is_none")]
        subject: Option<String>,
        /// `claim` or `path`.
        aspect: &'static str,
        /// The path.
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// How it differs.
        message: String,
    },
    /// The last line.
    Summary {
        /// The intent.
        intent: String,
        /// The result.
        verdict: Verdict,
        /// The subjects.
        subjects: Vec<String>,
        /// Those that differ.
        differ: Vec<String>,
        /// The number of differences.
        differences: usize,
    },
}

/// What is at a path that the subject changed.
#[derive(Debug, Serialize)]
pub struct Left {
    path: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<FileType>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
}

impl Left {
    fn of(path: &Bytes, entry: Option<&Entry>, case: &Case) -> Left {
        let is = |kind| entry.filter(|entry| entry.kind == kind);
        let target = is(FileType::Link).and_then(|entry| entry.content.as_ref());
        Left {
            path: shown(path, case, PATH),
            kind: entry.map(|entry| entry.kind),
            mode: entry.map(|entry| format!("{:04o}", entry.mode)),
            owner: entry.map(|entry| entry.uid),
            group: entry.map(|entry| entry.gid),
            size: is(FileType::File).map(|entry| entry.size),
            digest: is(FileType::File).and_then(|entry| entry.digest.clone()),
            target: target.map(|target| shown(target, case, PATH)),
        }
    }
}

impl Line {
    /// All lines of a comparison.
    pub fn all(intent: &str, held: &[Held], verdict: Verdict, found: &[Difference]) -> Vec<Line> {
        let mut lines = Vec::new();
        for stage in ComparisonStage::ALL {
            for one in held {
                let out = one.left_out.iter().filter(|(out, _)| *out == stage);
                lines.extend(one.round(stage).map(|round| Line::of_round(one, round)));
                lines.extend(out.map(|(_, why)| Line::LeftOut {
                    stage,
                    subject: one.name.clone(),
                    why: why.clone(),
                }));
            }
            let own = found.iter().filter(|one| one.stage == stage);
            lines.extend(own.map(|one| Line::of_difference(one, held)));
        }
        let differs = |one: &&Held| {
            found
                .iter()
                .any(|it| it.subject.as_ref() == Some(&one.name))
        };
        let differ = held.iter().filter(differs);
        lines.push(Line::Summary {
            intent: intent.to_owned(),
            verdict,
            subjects: held.iter().map(|one| one.name.clone()).collect(),
            differ: differ.map(|one| one.name.clone()).collect(),
            differences: found.len(),
        });
        lines
    }

    fn of_round(held: &Held, round: &Round) -> Line {
        let left = round.left.iter();
        let left = left.map(|(path, change)| Left::of(path, change.after.as_ref(), &held.case));
        Line::Stage {
            stage: round.stage,
            subject: held.name.clone(),
            dialect: held.dialect,
            claim: round.claim,
            why: round.why.clone(),
            left: left.collect(),
        }
    }

    fn of_difference(found: &Difference, held: &[Held]) -> Line {
        let path = match (&found.aspect, held.first()) {
            (Aspect::Path(path), Some(held)) => Some(shown(path, &held.case, PATH)),
            _ => None,
        };
        Line::Difference {
            stage: found.stage,
            subject: found.subject.clone(),
            aspect: match found.aspect {
                Aspect::Claim => "claim",
                Aspect::Path(_) => "path",
            },
            path,
            message: found.message.clone(),
        }
    }

    /// The line as text.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}
