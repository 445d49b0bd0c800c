//! What came of a recording.

/// What came of the recording of a program.
#[derive(Debug)]
pub struct Recorded {
    /// The version that was recorded.
    pub version: String,
    /// How many situations were played.
    pub played: usize,
    /// Those whose recording changed.
    pub changed: Vec<String>,
}
