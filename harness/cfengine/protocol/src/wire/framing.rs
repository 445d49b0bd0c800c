//! Where a message ends.

/// The end of the first message in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// Bytes from the buffer's start up to and including the empty line.
    pub len: usize,
    /// The form of the end.
    pub how: How,
}

impl End {
    /// Length of the message's text, without the LF of its last line and without the empty line.
    pub fn text_len(self) -> usize {
        match self.how {
            How::Proper => self.len.saturating_sub(2),
            How::CarriageReturn => self.len.saturating_sub(3),
            How::LeadingEmptyLine => 0,
        }
    }
}

/// The form of a message's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// LF LF.
    Proper,
    /// LF CR LF: a defect that the reader still understands.
    CarriageReturn,
    /// The buffer begins with an empty line, so the message is empty.
    LeadingEmptyLine,
}

/// Finds the end of the first message in `buffer`; `None` while it is incomplete.
///
/// Source: "JSON protocol" and "Line based protocol" (empty lines separate messages).
pub fn message_end(buffer: &[u8]) -> Option<End> {
    message_end_from(buffer, 0)
}

/// Like [`message_end`], if the first `scanned` bytes are known to contain no end. Calling it with
/// the buffer's previous length searches only the new bytes.
pub fn message_end_from(buffer: &[u8], scanned: usize) -> Option<End> {
    for empty_line in [&b"\n"[..], b"\r\n"] {
        if buffer.starts_with(empty_line) {
            return Some(End {
                len: empty_line.len(),
                how: How::LeadingEmptyLine,
            });
        }
    }
    // The last two scanned bytes may be the start of an end: LF CR, now followed by LF.
    let mut at = scanned.saturating_sub(2).min(buffer.len());
    while let Some(step) = memchr::memchr(b'\n', &buffer[at..]) {
        at += step + 1;
        if buffer[at..].starts_with(b"\n") {
            return Some(End {
                len: at + 1,
                how: How::Proper,
            });
        }
        if buffer[at..].starts_with(b"\r\n") {
            return Some(End {
                len: at + 2,
                how: How::CarriageReturn,
            });
        }
    }
    None
}
