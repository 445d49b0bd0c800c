//! Headers: no bytes make the analysis panic, and its ranges lie inside the answer.

use cfengine_protocol::wire::header::{Ending, Header};
use cfengine_protocol::wire::{message_end, message_end_from};

/// Holds for any bytes.
pub fn run(answer: &[u8]) {
    let whole = message_end(answer);
    let cut = answer.len() / 2;
    match message_end(&answer[..cut]) {
        Some(end) if end.len < cut => assert_eq!(Some(end), whole),
        Some(_) => assert!(whole.is_some()),
        None => assert_eq!(message_end_from(answer, cut), whole),
    }
    let Some(header) = Header::analyse(answer) else {
        return;
    };
    assert_eq!(&answer[header.range.clone()], header.line);
    assert!(header.len <= answer.len());
    assert!(
        header
            .defects
            .iter()
            .all(|defect| defect.offset < header.len)
    );
    if header.ending == Ending::EmptyLine {
        assert!(answer[..header.len].ends_with(b"\n\n"));
    }
    let doubled = header.doubled_flags().count();
    assert!(doubled <= header.flags().len());
    let _ = (
        header.protocol(),
        header.protocol_version(),
        header.name(),
        header.version(),
    );
}
