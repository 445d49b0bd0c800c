//! Lossless conversion between policy text and Rust strings.
//!
//! CFEngine reads bytes, and a policy may contain text that is not UTF-8. Such a byte is stored as
//! a private character, U+10FF00 plus the byte. So all code above the lexer uses `str`, and output
//! can be converted back.

use std::borrow::Cow;

const BASE: u32 = 0x10_FF00;

fn is_carrier(c: char) -> bool {
    u32::from(c) >= BASE
}

/// Decodes bytes; [`encode`] restores exactly the same bytes.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) if text.is_ascii() || !text.contains(is_carrier) => Cow::Borrowed(text),
        _ => Cow::Owned(decode_slowly(bytes)),
    }
}

fn decode_slowly(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_carrier(c) {
                let mut buffer = [0; 4];
                carry(&mut text, c.encode_utf8(&mut buffer).as_bytes());
            } else {
                text.push(c);
            }
        }
        carry(&mut text, chunk.invalid());
    }
    text
}

fn carry(text: &mut String, bytes: &[u8]) {
    text.extend(
        bytes
            .iter()
            .filter_map(|byte| char::from_u32(BASE + u32::from(*byte))),
    );
}

/// The bytes of a text.
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if text.is_ascii() || !text.contains(is_carrier) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u8::try_from(u32::from(c).wrapping_sub(BASE)) {
            Ok(byte) if is_carrier(c) => bytes.push(byte),
            _ => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn utf8_is_itself() {
        assert_eq!(decode("Grüße".as_bytes()), "Grüße");
        assert_eq!(&*encode("Grüße"), "Grüße".as_bytes());
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes: Vec<u8>) {
            prop_assert_eq!(encode(&decode(&bytes)).into_owned(), bytes);
        }

        #[test]
        fn carriers_come_back(tail in proptest::collection::vec(0x80u8..=0xBF, 0..12)) {
            let bytes: Vec<u8> = tail.iter().flat_map(|b| [0xF4, 0x8F, 0xBF, *b]).collect();
            prop_assert_eq!(encode(&decode(&bytes)).into_owned(), bytes);
        }
    }
}
