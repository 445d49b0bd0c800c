//! The content of an exchange, as people read it.

use stickler_reading::Exchange;
use stickler_reading::words::shown;
use stickler_transcript::Case;

/// The longest line that is shown, in characters.
pub const LINE: usize = 2_000;

/// The content of an exchange, as lines for people.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// What was sent.
    pub asked: Vec<String>,
    /// What came back.
    pub answered: Vec<String>,
}

impl Said {
    /// The texts unchanged, line by line.
    pub fn of(exchange: &Exchange, case: &Case) -> Said {
        let sent = exchange.sent.split_inclusive(|byte| *byte == b'\n');
        let came = exchange.output.split_inclusive(|byte| *byte == b'\n');
        Said {
            asked: sent
                .map(|line| shown(line.strip_suffix(b"\n").unwrap_or(line), case, LINE))
                .collect(),
            answered: came.map(|line| line_of(line, case)).collect(),
        }
    }
}

/// A line of output.
pub fn line_of(bytes: &[u8], case: &Case) -> String {
    match bytes.strip_suffix(b"\n") {
        Some(text) => shown(text, case, LINE),
        None => format!("{}  (the line does not end)", shown(bytes, case, LINE)),
    }
}
