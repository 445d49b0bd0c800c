//! A JSON text made shorter for people: values lose their middle, keys stay.

use std::ops::Range;

/// Shorter strings are left as they are, in characters.
const SHORT: usize = 16;

/// A part of the text that can become shorter.
struct Part {
    bytes: Range<usize>,
    chars: usize,
}

/// What a text consists of, as far as it can be made shorter.
#[derive(Default)]
struct Parts {
    /// Contents of strings that are no keys.
    strings: Vec<Part>,
    /// Objects and lists inside the outermost one, with their brackets.
    containers: Vec<Part>,
}

/// Shortens values of a JSON object until the text has `most` characters: first long strings, then
/// whole lists and objects. Keys stay, and so does everything that `keep`, a range of bytes,
/// touches. Returns the text and the new place of `keep`, or nothing if the text is no object. The
/// result may still be too long.
pub fn abridge(text: &str, most: usize, keep: Range<usize>) -> Option<(String, Range<usize>)> {
    if !text.starts_with('{') {
        return None;
    }
    let Parts {
        mut strings,
        mut containers,
    } = parts(text, &keep);
    let longest_first = |parts: &mut Vec<Part>| parts.sort_by_key(|part| usize::MAX - part.chars);
    longest_first(&mut strings);
    longest_first(&mut containers);
    let mut excess = text.chars().count().saturating_sub(most);
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    for string in strings.iter().take_while(|string| string.chars > SHORT) {
        if excess == 0 {
            break;
        }
        let left = string.chars.saturating_sub(excess + 1).max(SHORT - 1);
        changes.push((
            string.bytes.clone(),
            shortened(&text[string.bytes.clone()], left),
        ));
        excess = excess.saturating_sub(string.chars - left - 1);
    }
    for container in containers {
        let within = |range: &Range<usize>| {
            container.bytes.start <= range.start && range.end <= container.bytes.end
        };
        let is_gone = |range: &Range<usize>| {
            range.start <= container.bytes.start && container.bytes.end <= range.end
        };
        if excess == 0 {
            break;
        }
        if changes.iter().any(|(range, _)| is_gone(range)) {
            continue;
        }
        let old = text[container.bytes.clone()].chars().count();
        let saved: usize = changes
            .iter()
            .filter(|(range, _)| within(range))
            .map(|(range, new)| text[range.clone()].chars().count() - new.chars().count())
            .sum();
        changes.retain(|(range, _)| !within(range));
        let new = if text[container.bytes.clone()].starts_with('{') {
            "{…}"
        } else {
            "[…]"
        };
        excess = excess.saturating_sub(old.saturating_sub(saved + 3));
        changes.push((container.bytes, new.to_owned()));
    }
    changes.sort_by_key(|(range, _)| range.start);
    let mut out = String::new();
    let mut done = 0;
    let mut place = keep.clone();
    for (range, new) in changes {
        out.push_str(&text[done..range.start]);
        out.push_str(&new);
        done = range.end;
        if range.end <= keep.start {
            let shift = out.len();
            place = keep.start - done + shift..keep.end - done + shift;
        }
    }
    out.push_str(&text[done..]);
    Some((out, place))
}

/// A text without its middle, of this many characters and a `…`.
fn shortened(text: &str, left: usize) -> String {
    let head = left.div_ceil(2);
    let total = text.chars().count();
    let front: String = text.chars().take(head).collect();
    let back: String = text.chars().skip(total - (left - head)).collect();
    format!("{front}…{back}")
}

fn parts(text: &str, keep: &Range<usize>) -> Parts {
    let mut parts = Parts::default();
    let mut open = Vec::new();
    let mut chars = text.char_indices();
    let untouched = |bytes: &Range<usize>| {
        keep.is_empty() || bytes.end <= keep.start || keep.end <= bytes.start
    };
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                let mut count = 0;
                let mut escaped = false;
                let end = chars.by_ref().find_map(|(end, c)| {
                    if c == '"' && !escaped {
                        return Some(end);
                    }
                    escaped = c == '\\' && !escaped;
                    count += 1;
                    None
                });
                let Some(end) = end else {
                    break;
                };
                let is_key = text[end + 1..].trim_start().starts_with(':');
                let bytes = at + 1..end;
                if !is_key && untouched(&bytes) {
                    parts.strings.push(Part {
                        bytes,
                        chars: count,
                    });
                }
            }
            '{' | '[' => open.push(at),
            '}' | ']' => {
                let Some(start) = open.pop() else {
                    break;
                };
                let bytes = start..at + 1;
                let count = text[bytes.clone()].chars().count();
                if !open.is_empty() && count > 3 && untouched(&bytes) {
                    parts.containers.push(Part {
                        bytes,
                        chars: count,
                    });
                }
            }
            _ => {}
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = concat!(
        r#"{"operation": "evaluate_promise", "promiser": "/a/very/long/path/to/a/file", "#,
        r#""attributes": {"content": "text"}, "result": "repaired", "#,
        r#""log": [{"level": "info", "message": "wrote"}]}"#
    );

    #[test]
    fn long_strings_lose_their_middle_and_keys_stay() {
        let length = ANSWER.chars().count();
        let (text, _) = abridge(ANSWER, length - 10, 0..0).expect("an object");
        assert!(
            text.contains(r#""promiser": "/a/very/…o/a/file""#),
            "{text}"
        );
        assert_eq!(text.chars().count(), length - 10);
    }

    #[test]
    fn lists_and_objects_go_last() {
        let (text, _) = abridge(ANSWER, 10, 0..0).expect("an object");
        assert_eq!(
            text,
            concat!(
                r#"{"operation": "evaluate_promise", "promiser": "/a/very/…/a/file", "#,
                r#""attributes": {…}, "result": "repaired", "log": […]}"#
            )
        );
    }

    #[test]
    fn an_abridged_text_keeps_the_part_that_a_finding_marks() {
        let at = ANSWER.find("wrote").expect("the mark");
        let (text, place) = abridge(ANSWER, 10, at..at + 5).expect("an object");
        assert_eq!(&text[place], "wrote");
        assert!(text.contains(r#""attributes": {…}"#), "{text}");
    }

    #[test]
    fn broken_json_is_no_danger() {
        for text in ["{", "{\"", "{\"a\\", "{]}", "{\"ä\": [\"…"] {
            assert!(abridge(text, 1, 0..0).is_some());
        }
        assert_eq!(abridge("result=kept", 3, 0..0), None);
    }
}
