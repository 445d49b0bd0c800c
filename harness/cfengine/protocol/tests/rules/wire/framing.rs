//! Where messages end.

use cfengine_protocol::wire::framing::*;
use proptest::prelude::*;

#[test]
fn a_message_ends_with_its_first_empty_line() {
    let end = message_end(b"a=b\nc=d\n\ne=f\n\n").expect("an end");
    assert_eq!(
        end,
        End {
            len: 9,
            how: How::Proper
        }
    );
    assert_eq!(end.text_len(), 7);
}

#[test]
fn one_line_feed_is_no_end() {
    assert_eq!(message_end(b"a=b\n"), None);
    assert_eq!(message_end(b""), None);
}

#[test]
fn an_empty_line_of_a_carriage_return_ends_too_and_says_so() {
    let end = message_end(b"a=b\r\n\r\n").expect("an end");
    assert_eq!(
        end,
        End {
            len: 7,
            how: How::CarriageReturn
        }
    );
    assert_eq!(end.text_len(), 4);
}

#[test]
fn a_leading_empty_line_is_an_empty_message() {
    assert_eq!(
        message_end(b"\na=b\n\n"),
        Some(End {
            len: 1,
            how: How::LeadingEmptyLine
        })
    );
    assert_eq!(
        message_end(b"\r\na"),
        Some(End {
            len: 2,
            how: How::LeadingEmptyLine
        })
    );
}

proptest! {
    #[test]
    fn pieces_are_parsed_like_the_whole(buffer in "[a\r\n]{0,24}", cut in 0usize..24) {
        let buffer = buffer.as_bytes();
        let cut = cut.min(buffer.len());
        let whole = message_end(buffer);
        match message_end(&buffer[..cut]) {
            Some(end) => prop_assert_eq!(Some(end), whole),
            None => prop_assert_eq!(message_end_from(buffer, cut), whole),
        }
    }
}
