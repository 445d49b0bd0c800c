//! Where a message ends, and which answers accept.

use crate::phase;
use crate::wire::header::Protocol;
use crate::wire::message_end_from;
use crate::wire::response::Response;
use stickler_transcript::Phase;

/// Length of the first message in `buffer`, if it is complete. Empty lines before it count as part
/// of it: they are a defect, but no answer. The first `scanned` bytes were searched before and
/// contain no end.
pub fn message_len(buffer: &[u8], scanned: usize) -> Option<usize> {
    let lead = buffer.iter().take_while(|byte| **byte == b'\n').count();
    let from = scanned.saturating_sub(lead);
    message_end_from(&buffer[lead..], from).map(|end| lead + end.len)
}

/// Does this answer allow the agent to continue with the promise? Only `valid` does. Source:
/// CFEngine, "Protocol request sequence".
pub fn accepts(phase: Phase, answer: &[u8]) -> bool {
    if phase != phase::VALIDATE {
        return true;
    }
    let answer = skip_empty_lines(answer);
    [Protocol::Json, Protocol::Line]
        .into_iter()
        .any(|protocol| Response::analyse(answer, protocol).result.text() == Some(b"valid"))
}

/// A message without its leading empty lines.
pub(crate) fn skip_empty_lines(message: &[u8]) -> &[u8] {
    let lead = message.iter().take_while(|byte| **byte == b'\n').count();
    &message[lead..]
}
