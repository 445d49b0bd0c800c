//! Makes text fit and safe: escapes, widths, wrapping, cutting.

use std::borrow::Cow;
use std::fmt::Write as _;
use unicode_width::UnicodeWidthChar;

/// Replaces a line feed.
pub(crate) const LINE_FEED: char = '⏎';

/// How many characters without width may follow each other; more are treated as an attack on the
/// screen.
const COMBINING: usize = 4;

/// Makes characters visible that would control a terminal or a parser, or would be invisible:
/// control characters (C0, DEL, C1), line separators, bidirectional controls, invisible format
/// characters, noncharacters, long runs of combining marks. A line feed becomes `⏎`, the others
/// become escapes such as `\x1b` or `\u{202e}`. The result is one line; applying the function again
/// changes nothing.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut unseen = 0;
    for c in text.chars() {
        unseen = if columns(c) == 0 { unseen + 1 } else { 0 };
        if steers(c) || unseen > COMBINING {
            push_escape(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// HTML in which CI systems find no command if it is printed: they look for `##[name]`, `##vso[…]`
/// and the like even inside a line.
pub(crate) fn no_command(html: &str) -> String {
    html.replace("##", "#&#35;")
}

fn push_escape(out: &mut String, c: char) {
    match c {
        '\n' => out.push(LINE_FEED),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\0'..='\x7f' => {
            let _ = write!(out, "\\x{:02x}", u32::from(c));
        }
        _ => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
    }
}

/// Would this character control something, or be invisible?
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
        || u32::from(c) & 0xfffe == 0xfffe
        || matches!(c, '\u{fdd0}'..='\u{fdef}')
}

/// Writes such characters in serialized JSON as `\u` escapes, so that nothing is lost. Outside of
/// strings, JSON contains none of them except line feeds.
pub(crate) fn escape_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && steers(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn columns(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// Width of a text in columns.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// The longest prefix that fits into `budget` columns.
fn take(text: &str, budget: usize) -> &str {
    let mut used = 0;
    for (index, c) in text.char_indices() {
        used += columns(c);
        if used > budget {
            return &text[..index];
        }
    }
    text
}

/// The longest suffix that fits into `budget` columns.
fn take_back(text: &str, budget: usize) -> &str {
    let mut used = 0;
    for (index, c) in text.char_indices().rev() {
        used += columns(c);
        if used > budget {
            return &text[index + c.len_utf8()..];
        }
    }
    text
}

/// Replaces the middle of a text by `…` if it does not fit. `head` percent of the remaining text
/// come before it.
fn squeeze(text: &str, budget: usize, head: usize) -> Cow<'_, str> {
    if width(text) <= budget {
        return Cow::Borrowed(text);
    }
    let Some(room) = budget.checked_sub(1) else {
        return Cow::Borrowed("");
    };
    let front = take(text, room * head / 100);
    let back = take_back(text, room - width(front));
    Cow::Owned(format!("{front}…{back}"))
}

/// Shortens a text in the middle so that it fits.
pub(crate) fn cut(text: &str, budget: usize) -> Cow<'_, str> {
    squeeze(text, budget, 66)
}

/// Shortens a text at the end of a word so that it fits.
pub(crate) fn cut_end(text: &str, budget: usize) -> Cow<'_, str> {
    if width(text) <= budget {
        return Cow::Borrowed(text);
    }
    let front = take(text, budget.saturating_sub(2));
    let front = front.rfind(' ').map_or(front, |at| &front[..at]);
    Cow::Owned(format!("{front} …"))
}

/// Like [`cut`], but keeps a part (start and length in characters) visible. Also returns where that
/// part is in the result: start and width in columns.
pub(crate) fn cut_around(
    text: &str,
    part: (usize, usize),
    budget: usize,
) -> (String, (usize, usize)) {
    let at = |count: usize| {
        text.char_indices()
            .nth(count)
            .map_or(text.len(), |(index, _)| index)
    };
    let start = at(part.0);
    let end = at(part.0.saturating_add(part.1));
    let (before, marked, after) = (&text[..start], &text[start..end], &text[end..]);
    let marked = if width(text) <= budget {
        Cow::Borrowed(marked)
    } else {
        squeeze(marked, budget * 2 / 3, 50)
    };
    let room = budget.saturating_sub(width(&marked));
    let half = room / 2;
    let (left, right) = (width(before), width(after));
    let (left, right) = if left <= half {
        (left, room - left)
    } else if right <= half {
        (room - right, right)
    } else {
        (half, room - half)
    };
    let before = squeeze(before, left, 33);
    let after = squeeze(after, right, 66);
    let place = (width(&before), width(&marked));
    (format!("{before}{marked}{after}"), place)
}

/// Breaks a text into lines at spaces; words longer than a line are split.
/// The first line may have another width.
pub(crate) fn wrap(text: &str, first: usize, rest: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut budget = first.max(1);
    let mut spaces = 0;
    for word in text.split(' ') {
        let mut word = word;
        spaces += 1;
        if word.is_empty() {
            continue;
        }
        // Several spaces may be what a message is about.
        let gap = match line.is_empty() {
            true => 0,
            false => spaces,
        };
        spaces = 0;
        if width(&line) + gap + width(word) > budget && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
            budget = rest.max(1);
        }
        if !line.is_empty() {
            line.extend(std::iter::repeat_n(' ', gap));
        }
        while width(&line) + width(word) > budget {
            let front = match take(word, budget) {
                "" => take(word, 2),
                front => front,
            };
            if front.is_empty() || front.len() == word.len() {
                break;
            }
            lines.push(front.to_owned());
            word = &word[front.len()..];
            budget = rest.max(1);
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wrapping_keeps_several_spaces_within_a_line() {
        assert_eq!(wrap(" is \"a  b\"   now", 14, 14), ["is \"a  b\"", "now"]);
    }

    #[test]
    fn sentences_end_at_a_word() {
        assert_eq!(cut_end("describe one", 12), "describe one");
        assert_eq!(cut_end("describe one with a name", 18), "describe one …");
        assert_eq!(cut_end("indescribable", 6), "inde …");
    }

    #[test]
    fn terminal_control_sequences_are_escaped() {
        assert_eq!(visible("plain"), "plain");
        assert_eq!(
            visible("a\n\t\r\x1b[2J\u{9b}\u{202e}x\x7f"),
            "a⏎\\t\\r\\x1b[2J\\u{9b}\\u{202e}x\\x7f"
        );
        assert_eq!(visible("e\u{301}"), "e\u{301}");
        assert_eq!(
            visible(&"\u{301}".repeat(6)),
            "\u{301}\u{301}\u{301}\u{301}\\u{301}\\u{301}"
        );
    }

    #[test]
    fn json_loses_nothing() {
        let text = "a\u{2028}\u{9b}\u{e0001}\u{7f}b";
        let json = escape_json(&serde_json::to_string(text).expect("a string"));
        assert!(json.is_ascii());
        assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
    }

    #[test]
    fn a_cut_keeps_both_ends() {
        assert_eq!(cut("abcdefghij", 7), "abc…hij");
        assert_eq!(cut("short", 7), "short");
    }

    #[test]
    fn a_marked_part_stays_in_sight() {
        let text = format!("{}BAD{}", "a".repeat(100), "z".repeat(100));
        let (line, (start, length)) = cut_around(&text, (100, 3), 21);
        assert_eq!(line, "aa…aaaaaaBADzzzzz…zzz");
        assert_eq!(&line[start + 2..start + 2 + length], "BAD");
    }

    #[test]
    fn words_wrap_and_long_ones_are_split() {
        assert_eq!(wrap("one two three", 7, 9), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij k", 4, 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrap("日本語", 3, 3), ["日", "本", "語"]);
        assert_eq!(wrap("日", 1, 1), ["日"]);
    }

    proptest! {
        #[test]
        fn visible_twice_is_visible_once(text in any::<String>()) {
            let once = visible(&text).into_owned();
            prop_assert!(!once.chars().any(steers));
            prop_assert_eq!(visible(&once), once.as_str());
        }

        #[test]
        fn a_cut_text_fits(text in any::<String>(), start in 0usize..80, length in 0usize..80, budget in 12usize..60) {
            let text = visible(&text);
            prop_assert!(width(&cut(&text, budget)) <= budget);
            let (line, (at, marked)) = cut_around(&text, (start, length), budget);
            prop_assert!(width(&line) <= budget);
            prop_assert!(at + marked <= width(&line));
        }

        #[test]
        fn wrapping_keeps_all_words_within_the_width(text in "[a-z ]{0,200}", width_of in 1usize..30) {
            let lines = wrap(&text, width_of, width_of);
            prop_assert!(lines.iter().all(|line| width(line) <= width_of));
            prop_assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        }
    }
}
