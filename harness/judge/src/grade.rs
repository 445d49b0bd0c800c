//! The level of a finding.

use stickler_transcript::{Level, Provenance};

/// The level of a finding by who could send the input. If neither agent nor specification could, a
/// hang is at most `should`, and everything else is `may`.
pub fn grade(level: Level, provenance: Provenance, hang: bool) -> Level {
    match (provenance, hang) {
        (Provenance::Beyond, true) => level.min(Level::Should),
        (Provenance::Beyond, false) => Level::May,
        (Provenance::Agent | Provenance::Spec, _) => level,
    }
}
