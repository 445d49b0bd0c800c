//! Defects that a campaign has found.

use crate::input::Input;
use std::fmt;
use std::time::Duration;
use stickler_judge::{Level, Reported};
use stickler_transcript::Transcript;

/// Where and how a session went wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind {
    /// The phase of the exchange.
    pub phase: String,
    /// How it ended.
    pub ended: String,
}

/// What makes two findings the same defect.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature {
    /// The code of the rule.
    pub rule: String,
    /// The rule's name for the defect.
    pub variant: &'static str,
    /// The rule's group for it, such as an attribute and an exception.
    pub group: String,
    /// Where and how the session went wrong.
    pub kind: Kind,
}

impl Signature {
    /// Is it the same defect as far as inputs of different size can tell? The group may depend on
    /// the fields that an input changes.
    pub(crate) fn resembles(&self, other: &Signature) -> bool {
        self.rule == other.rule && self.variant == other.variant && self.kind == other.kind
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rule)?;
        for part in [
            self.variant,
            &self.group,
            &self.kind.phase,
            &self.kind.ended,
        ] {
            if !part.is_empty() {
                write!(f, "/{}", part.replace('/', "_"))?;
            }
        }
        Ok(())
    }
}

/// A confirmed defect.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What makes it this defect.
    pub signature: Signature,
    /// Its level.
    pub level: Level,
    /// What happened, in one line.
    pub message: String,
    /// The rule's outcome on the smallest session, with its excerpt.
    pub outcome: Reported,
    /// The smallest input that shows it.
    pub input: Input,
    /// The sessions that show it, in fresh processes: that of the input, or those that were compared.
    pub transcripts: Vec<Transcript>,
    /// How often it showed in how many tries in fresh processes.
    pub shown: (u32, u32),
    /// When it was found, since the campaign began.
    pub at: Duration,
    /// How many cases ran before.
    pub cases: u64,
    /// Did an earlier run of the campaign find it?
    pub again: bool,
}

impl Finding {
    /// Does it fail the run?
    pub fn fails(&self, strict: bool) -> bool {
        self.level == Level::Must || strict && self.level == Level::Should
    }

    /// How much memory its sessions take, about, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        // As text they take about as much.
        let texts = self.transcripts.iter().map(|one| {
            let mut bytes = Counted(0);
            let _ = serde_json::to_writer(&mut bytes, &one.events);
            bytes.0
        });
        texts.sum()
    }

    /// Did it not show in each try?
    pub fn is_flaky(&self) -> bool {
        self.shown.0 < self.shown.1
    }
}

/// Counts what is written.
struct Counted(usize);

impl std::io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
