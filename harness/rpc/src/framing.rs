//! Where messages end, and which are notifications.

use crate::answer::text;
use stickler_transcript::{Framing, Name};

/// Where messages end.
pub const FRAMING: Framing = Framing {
    message_end: message_len,
    notification: Some(notification_name),
    last: None,
};

/// Where the first message of a buffer ends: after its line. `scanned` bytes are known to hold no
/// end.
pub fn message_len(buffer: &[u8], scanned: usize) -> Option<usize> {
    let end = memchr::memchr(b'\n', &buffer[scanned..])?;
    Some(scanned + end + 1)
}

/// The method of a notification. A line is one if it has a method, and no id.
pub fn notification_name(line: &[u8]) -> Option<Name> {
    // Hosts write the method early in notifications, and never in answers.
    memchr::memmem::find(line, b"\"method\"")?;
    let message = stickler_json::parse(line).ok()?;
    let method = message
        .get("method")
        .filter(|_| message.get("id").is_none())?;
    // Whatever the method is, the line answers nothing.
    Some(text(method).unwrap_or_default().into())
}

/// Is a line a notification?
pub fn is_notification(line: &[u8]) -> bool {
    notification_name(line).is_some()
}
