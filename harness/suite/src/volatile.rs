//! Parts of a conversation that differ from run to run without being a change.
//!
//! Three things are masked as `[…]`: what looks like a date, a time, a process id and the like
//! ([`known`]); what differs between two sessions of one run ([`between`]); what an earlier text
//! has already masked ([`like`]).

use regex::Regex;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// Replaces a volatile part.
pub const MASK: &str = "[…]";

/// With more pairs of lines than this, the plain diff does the alignment.
const PAIRS: usize = 250_000;

static KNOWN: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let day = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
    let month = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
    let time = r"\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?";
    let zone = r"(?: ?(?:Z|UTC|GMT|CES?T|[+-]\d{2}:?\d{2}))?";
    [
        // A whole time stamp: ISO 8601, the format of `date`, and common log formats.
        format!(r"\b\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]{time}{zone})?"),
        format!(r"\b{day},? {month} +\d{{1,2}},? {time}{zone} \d{{4}}\b"),
        format!(r"\b{day},? \d{{1,2}} {month} \d{{4}}(?: {time}{zone})?"),
        format!(r"\b{month} +\d{{1,2}} {time}"),
        // The format of `ls -l`.
        format!(r"\b{month} +\d{{1,2}} +(?:\d{{1,2}}:\d{{2}}|\d{{4}})\b"),
        format!(r"\b{time}{zone}"),
        r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"
            .to_owned(),
    ]
    .iter()
    .map(|pattern| Regex::new(pattern))
    .collect::<Result<_, _>>()
    .unwrap_or_default()
});

static PROCESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"\b([Pp]id|PID|[Pp]rocess (?:id|ID))(["']?[ =:#>(]+)\d+\b"#).ok()
});
static ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b0x[0-9a-f]{8,16}\b").ok());
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b\d{10,19}\b").ok());

/// [`known`] with the current time.
pub fn known_now(text: &str, sent: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    known(text, sent, now.map_or(0, |since| since.as_secs()))
}

/// Masks what looks volatile, unless the harness sent it: an author's own date is intended. `now`
/// is the time in seconds since 1970.
pub fn known(text: &str, sent: &str, now: u64) -> String {
    let mut text = text.to_owned();
    let mask = |text: &str, pattern: &Regex, volatile: &dyn Fn(&str) -> bool| {
        pattern
            .replace_all(text, |found: &regex::Captures<'_>| {
                if volatile(&found[0]) && !sent.contains(&found[0]) {
                    MASK.to_owned()
                } else {
                    found[0].to_owned()
                }
            })
            .into_owned()
    };
    for pattern in &*KNOWN {
        text = mask(&text, pattern, &|_| true);
    }
    if let Some(pattern) = &*ADDRESS {
        text = mask(&text, pattern, &|_| true);
    }
    if let Some(pattern) = &*NUMBER {
        text = mask(&text, pattern, &|number| is_now(number, now));
    }
    if let Some(pattern) = &*PROCESS {
        text = pattern
            .replace_all(&text, format!("${{1}}${{2}}{MASK}"))
            .into_owned();
    }
    text
}

/// Is this a time since 1970 in seconds, milli-, micro- or nanoseconds, within a day of now?
fn is_now(number: &str, now: u64) -> bool {
    let unit: u64 = match number.len() {
        10 => 1,
        13 => 1_000,
        16 => 1_000_000,
        19 => 1_000_000_000,
        _ => return false,
    };
    number
        .parse::<u64>()
        .is_ok_and(|value| (value / unit).abs_diff(now) < 86_400)
}

/// Splits into words and single characters; a decimal number is one word.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with(MASK) {
            MASK.len()
        } else if first.is_alphanumeric() || first == '_' {
            word(rest)
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after;
    }
    tokens
}

fn word(text: &str) -> usize {
    let end = |text: &str| {
        text.find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(text.len())
    };
    let first = end(text);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits(&text[..first])
        && let Some(fraction) = text[first..].strip_prefix('.')
        && digits(&fraction[..end(fraction)])
    {
        return first + 1 + end(fraction);
    }
    first
}

/// Masks the parts of `text` that differ from `again`, a second text of the same session.
pub fn between(text: &str, again: &str) -> String {
    if text == again {
        return text.to_owned();
    }
    let (a, b): (Vec<&str>, Vec<&str>) = (text.lines().collect(), again.lines().collect());
    let mut lines: Vec<String> = Vec::with_capacity(a.len());
    for op in capture_diff_slices(Algorithm::Myers, &a, &b) {
        match op {
            DiffOp::Equal { old_index, len, .. } => {
                lines.extend(
                    a[old_index..old_index + len]
                        .iter()
                        .map(|line| (*line).to_owned()),
                );
            }
            DiffOp::Replace {
                old_index,
                old_len,
                new_index,
                new_len,
            } if old_len == new_len => {
                for n in 0..old_len {
                    lines.push(mask_line(a[old_index + n], b[new_index + n]));
                }
            }
            // A line that appears only in some runs.
            DiffOp::Replace { .. } | DiffOp::Delete { .. } | DiffOp::Insert { .. } => {
                if lines.last().is_none_or(|line| line != MASK) {
                    lines.push(MASK.to_owned());
                }
            }
        }
    }
    lines.join("\n") + "\n"
}

fn mask_line(line: &str, again: &str) -> String {
    let (a, b) = (tokens(line), tokens(again));
    let mut out = String::new();
    for op in capture_diff_slices(Algorithm::Myers, &a, &b) {
        if let DiffOp::Equal { old_index, len, .. } = op {
            out.extend(a[old_index..old_index + len].iter().copied());
        } else if !out.ends_with(MASK) {
            out.push_str(MASK);
        }
    }
    out
}

/// `text`, with a line taken from `before` if the two differ only in masked parts. The remaining
/// differences are real.
pub fn like(text: &str, before: &str) -> String {
    let (new, old): (Vec<&str>, Vec<&str>) = (text.lines().collect(), before.lines().collect());
    let head = new
        .iter()
        .zip(&old)
        .take_while(|(a, b)| alike(a, b))
        .count();
    let tail = new[head..]
        .iter()
        .rev()
        .zip(old[head..].iter().rev())
        .take_while(|(a, b)| alike(a, b))
        .count();
    let (new_end, old_end) = (new.len() - tail, old.len() - tail);
    let (new_part, old_part) = (&new[head..new_end], &old[head..old_end]);
    let mut lines: Vec<&str> = old[..head].to_vec();
    if new_part.len() * old_part.len() > PAIRS {
        lines.extend(new_part);
    } else {
        let partners = aligned(new_part, old_part);
        lines.extend(
            new_part
                .iter()
                .zip(partners)
                .map(|(line, partner)| partner.map_or(*line, |index| old_part[index])),
        );
    }
    lines.extend(&old[old_end..]);
    lines.join("\n") + "\n"
}

/// The longest common subsequence of similar lines: for each new line its old counterpart.
fn aligned(new: &[&str], old: &[&str]) -> Vec<Option<usize>> {
    let same: Vec<Vec<bool>> = new
        .iter()
        .map(|a| old.iter().map(|b| alike(a, b)).collect())
        .collect();
    let mut best = vec![vec![0_usize; old.len() + 1]; new.len() + 1];
    for i in (0..new.len()).rev() {
        for j in (0..old.len()).rev() {
            best[i][j] = if same[i][j] {
                best[i + 1][j + 1] + 1
            } else {
                best[i + 1][j].max(best[i][j + 1])
            };
        }
    }
    let mut partners = vec![None; new.len()];
    let (mut i, mut j) = (0, 0);
    while i < new.len() && j < old.len() {
        if same[i][j] {
            partners[i] = Some(j);
            (i, j) = (i + 1, j + 1);
        } else if best[i + 1][j] >= best[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    partners
}

/// Are the lines equal, except for masked parts on either side?
fn alike(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    if !a.contains(MASK) && !b.contains(MASK) {
        return false;
    }
    let (a, b) = (tokens(a), tokens(b));
    // reach[j]: do the tokens of `a` so far match the first j of `b`?
    let mut reach = vec![false; b.len() + 1];
    reach[0] = true;
    for j in 0..b.len() {
        reach[j + 1] = reach[j] && b[j] == MASK;
    }
    for token in &a {
        let mut next = vec![false; b.len() + 1];
        for j in 0..=b.len() {
            let wild_a = *token == MASK;
            let from_above = reach[j] && (wild_a || (j > 0 && b[j - 1] == MASK));
            let from_left = j > 0 && next[j - 1] && (wild_a || b[j - 1] == MASK);
            let both = j > 0 && reach[j - 1] && (wild_a || b[j - 1] == MASK || *token == b[j - 1]);
            next[j] = from_above || from_left || both;
        }
        reach = next;
    }
    reach[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{alike, between, known, like};

    #[test]
    fn dates_times_ids_and_process_ids_are_masked() {
        for (text, masked) in [
            ("at 2026-11-21T03:22:01.5Z.", "at […]."),
            ("on 2026-11-21 done", "on […] done"),
            ("2026-11-21 03:22:01,123 INFO x", "[…] INFO x"),
            ("Sat Nov 21 03:22:01 UTC 2026", "[…]"),
            ("Nov 21 03:22:01 host sshd", "[…] host sshd"),
            (
                "-rw-r--r-- 1 root root 5 Nov 21 03:22 x",
                "-rw-r--r-- 1 root root 5 […] x",
            ),
            ("took 03:22:01", "took […]"),
            ("id 0f8fad5b-d9cb-469f-a165-70867728950e!", "id […]!"),
            ("pid 417, PID=9 pid: 3", "pid […], PID=[…] pid: […]"),
            (
                r#"{"pid": 417} :pid=>9 (pid 3)"#,
                r#"{"pid": […]} :pid=>[…] (pid […])"#,
            ),
            ("<x object at 0x7f3a2b1c9d00>", "<x object at […]>"),
            ("since 1794400000 and 1794400000123", "since […] and […]"),
            ("0123456789", "0123456789"),
        ] {
            assert_eq!(known(text, "", 1_794_400_100), masked);
        }
    }

    #[test]
    fn an_authors_own_date_stays() {
        assert_eq!(
            known("until 2026-11-21", "{\"until\":\"2026-11-21\"}", 0),
            "until 2026-11-21"
        );
    }

    #[test]
    fn differences_between_two_sessions_are_masked_by_token() {
        assert_eq!(
            between(
                "a /tmp/tmp8xk2/f b\nsame\nin 0.12 s\n",
                "a /tmp/tmpq9zz/f b\nsame\nin 1.5 s\n"
            ),
            "a /tmp/[…]/f b\nsame\nin […] s\n"
        );
        assert_eq!(between("a\nb\n", "a\nnow and then\nb\n"), "a\n[…]\nb\n");
    }

    #[test]
    fn masks_of_either_side_hold() {
        assert!(alike("in […] s", "in 0.3 s"));
        assert!(alike("in 0.3 s", "in […] s"));
        assert!(alike("x […]", "x "));
        assert!(!alike("in […] s", "in 0.3 s, badly"));
        assert!(!alike("a", "b"));
        assert_eq!(
            like("a\nin 1 s\nnew\n", "a\nin […] s\n"),
            "a\nin […] s\nnew\n"
        );
        assert_eq!(like("x\na 1\nb\n", "a […]\nb\n"), "x\na […]\nb\n");
        assert_eq!(like("a\nb\nb\n", "a\nb\n"), "a\nb\nb\n");
    }
}
