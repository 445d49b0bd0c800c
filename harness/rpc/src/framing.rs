//! Where messages end, and which are notifications.

use stickler_transcript::Framing;

/// Where messages end.
pub const FRAMING: Framing = Framing {
    message_end: message_len,
    notifies: Some(is_notification),
    last: None,
};

/// Where the first message of a buffer ends: after its line. `scanned` bytes are known to hold no
/// end.
pub fn message_len(buffer: &[u8], scanned: usize) -> Option<usize> {
    let end = memchr::memchr(b'\n', &buffer[scanned..])?;
    Some(scanned + end + 1)
}

/// Is a line a notification? It has a method, and no id.
pub fn is_notification(line: &[u8]) -> bool {
    // Hosts write the method early in notifications, and never in answers.
    if memchr::memmem::find(line, b"\"method\"").is_none() {
        return false;
    }
    stickler_json::parse(line)
        .is_ok_and(|message| message.get("method").is_some() && message.get("id").is_none())
}
