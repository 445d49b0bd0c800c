//! What a native program compared: pairs of texts or numbers that were not the same.

/// How many bytes one comparison takes: two sizes, and two sides.
const SLOT: usize = 64;
/// The longest side.
const LONGEST: usize = 31;
/// How many bytes all of them take.
pub(super) const BYTES: usize = SLOT << 10;

/// How the sides of a table are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sides {
    /// As texts or as a machine's numbers: nobody knows which.
    Machine,
    /// As texts.
    Texts,
}

/// The pairs in a table, each as it may stand in a value: as it is, and a machine's numbers in digits too.
pub(super) fn pairs(table: &[u8], sides: Sides) -> Vec<[Vec<u8>; 2]> {
    let mut pairs = Vec::new();
    for slot in table.as_chunks::<SLOT>().0 {
        let (sizes, both) = slot.split_at(2);
        let (one, other) = both.split_at(LONGEST);
        let side = |size: u8, side: &[u8]| side.get(..usize::from(size)).map(<[u8]>::to_vec);
        let (Some(one), Some(other)) = (side(sizes[0], one), side(sizes[1], other)) else {
            continue;
        };
        if one.is_empty() || other.is_empty() {
            continue;
        }
        if sides == Sides::Texts {
            pairs.push([one, other]);
            continue;
        }
        if let (Some(a), Some(b)) = (number(&one), number(&other)) {
            pairs.push([digits(a), digits(b)]);
        }
        let whole = [trimmed(&one), trimmed(&other)];
        if whole.iter().all(|side| !side.is_empty()) {
            pairs.push(whole.map(<[u8]>::to_vec));
        }
    }
    pairs
}

/// A machine's number, if it has the size of one.
fn number(side: &[u8]) -> Option<i64> {
    Some(match *side {
        [a, b] => i64::from(i16::from_le_bytes([a, b])),
        [a, b, c, d] => i64::from(i32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => i64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => return None,
    })
}

fn digits(number: i64) -> Vec<u8> {
    number.to_string().into_bytes()
}

/// A text of a few letters may be compared as a number: the zeros behind it are none of its bytes.
fn trimmed(side: &[u8]) -> &[u8] {
    let end = side.iter().rposition(|byte| *byte != 0);
    &side[..end.map_or(0, |end| end + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slot(one: &[u8], other: &[u8]) -> Vec<u8> {
        let mut slot = vec![0; SLOT];
        slot[0] = u8::try_from(one.len()).expect("short");
        slot[1] = u8::try_from(other.len()).expect("short");
        slot[2..][..one.len()].copy_from_slice(one);
        slot[2 + LONGEST..][..other.len()].copy_from_slice(other);
        slot
    }

    #[test]
    fn texts_are_pairs_and_numbers_are_written_in_digits() {
        let text = |pair: &[Vec<u8>; 2]| pair.clone().map(|s| String::from_utf8(s).expect("text"));
        let table = [
            slot(b"port", b"address"),
            slot(&7_i32.to_le_bytes(), b"GET "),
        ]
        .concat();
        let pairs: Vec<_> = pairs(&table, Sides::Machine).iter().map(text).collect();
        assert_eq!(pairs[0], ["port", "address"]);
        assert_eq!(pairs[1], ["7", "542393671"]);
        assert_eq!(pairs[2], ["\u{7}", "GET "]);
    }

    proptest! {
        #[test]
        fn any_table_is_read(table in proptest::collection::vec(any::<u8>(), 0..300)) {
            for sides in [Sides::Machine, Sides::Texts] {
                for pair in pairs(&table, sides) {
                    prop_assert!(pair.iter().all(|side| !side.is_empty()));
                }
            }
        }
    }
}
