//! The protocol headers. Source: the specification's section "Protocol header".

use super::lines;
use std::collections::HashSet;
use std::ops::Range;

/// The two variants of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// `json_based`.
    Json,
    /// `line_based`.
    Line,
}

impl Protocol {
    /// The variant that a feature flag names.
    pub fn from_flag(flag: &[u8]) -> Option<Self> {
        match flag {
            b"json_based" => Some(Self::Json),
            b"line_based" => Some(Self::Line),
            _ => None,
        }
    }

    /// The feature flag.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Json => "json_based",
            Self::Line => "line_based",
        }
    }
}

/// The protocol version that a header asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtocolVersion<'a> {
    /// There is no third field.
    Missing,
    /// `v` and a number.
    Number(u64),
    /// Anything else.
    Malformed(&'a [u8]),
}

/// How a header ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// LF and an empty line.
    EmptyLine,
    /// LF and a line with only a CR.
    CarriageReturn,
    /// The line ended, but no empty line came.
    LineFeed,
    /// The line did not end.
    None,
}

/// Something wrong with the bytes of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Defect {
    /// What is wrong.
    pub kind: DefectKind,
    /// Where, counted from the first byte of the answer.
    pub offset: usize,
}

/// The kinds of defects in the bytes of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefectKind {
    /// A CR, in the line or in the empty line after it.
    CarriageReturn,
    /// A byte order mark before the line.
    ByteOrderMark,
    /// A NUL.
    Nul,
    /// A TAB.
    Tab,
    /// A blank at either end of the line, or two in a row.
    EmptyField,
}

/// A module's answer to the agent's header, without loss.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header<'a> {
    /// Lines before the header line, including empty ones.
    pub noise_before: Vec<Range<usize>>,
    /// The header line without its LF.
    pub line: &'a [u8],
    /// The range of the header line.
    pub range: Range<usize>,
    /// Lines between the header line and the empty line, or the answer's end.
    pub extra_lines: Vec<Range<usize>>,
    /// How the header ended.
    pub ending: Ending,
    /// Bytes up to and including the empty line; the module was not asked for what follows.
    pub len: usize,
    /// The line, split at each single space as an agent does, without a byte order mark and a final
    /// CR.
    pub fields: Vec<&'a [u8]>,
    /// Defects in the line's bytes, in order.
    pub defects: Vec<Defect>,
    /// The fields, separated by any number of blanks and TABs, so that one defect does not hide
    /// what the module meant.
    words: Vec<&'a [u8]>,
}

impl<'a> Header<'a> {
    /// Analyses everything that a module has written so far. `None` if no line has text.
    pub fn analyse(answer: &'a [u8]) -> Option<Self> {
        let lines: Vec<_> = lines(answer).collect();
        let at = header_line(answer, &lines)?;
        let range = lines[at].clone();
        let line = &answer[range.clone()];

        let after = &lines[at + 1..];
        let is_empty = |line: &Range<usize>| matches!(&answer[line.clone()], b"" | b"\r");
        let empty = after.iter().position(is_empty);
        let extra_lines = after[..empty.unwrap_or(after.len())].to_vec();
        // The line ranges exclude the LF, so a line is complete if an LF follows it.
        let complete = |line: &&Range<usize>| line.end < answer.len();
        let empty = empty.map(|index| &after[index]).filter(complete);
        let ending = match empty {
            Some(empty) if empty.is_empty() => Ending::EmptyLine,
            Some(_) => Ending::CarriageReturn,
            None if complete(&&range) => Ending::LineFeed,
            None => Ending::None,
        };
        let len = empty.map_or(answer.len(), |empty| empty.end + 1);

        let text = without_mark(line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        Some(Self {
            noise_before: lines[..at].to_vec(),
            line,
            extra_lines,
            ending,
            len,
            fields: text.split(|&byte| byte == b' ').collect(),
            defects: defects(answer, &range, empty.filter(|empty| !empty.is_empty())),
            words: text.split(blank).filter(|word| !word.is_empty()).collect(),
            range,
        })
    }

    /// Does the line have a defect of this kind?
    pub fn has(&self, kind: DefectKind) -> bool {
        self.defects.iter().any(|defect| defect.kind == kind)
    }

    /// The module's name.
    pub fn name(&self) -> Option<&'a [u8]> {
        self.words.first().copied()
    }

    /// The module's version.
    pub fn version(&self) -> Option<&'a [u8]> {
        self.words.get(1).copied()
    }

    /// The protocol version that it asks for.
    pub fn protocol_version(&self) -> ProtocolVersion<'a> {
        let Some(&word) = self.words.get(2) else {
            return ProtocolVersion::Missing;
        };
        version_number(word).map_or(ProtocolVersion::Malformed(word), ProtocolVersion::Number)
    }

    /// How many words there are: name, version, protocol version and flags, with any separators.
    pub fn word_count(&self) -> usize {
        self.words.len()
    }

    /// The feature flags in order, including repeated ones.
    pub fn flags(&self) -> &[&'a [u8]] {
        self.words.get(3..).unwrap_or_default()
    }

    /// Flags that occurred before, once per repetition.
    pub fn doubled_flags(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        let mut seen = HashSet::new();
        self.flags()
            .iter()
            .copied()
            .filter(move |flag| !seen.insert(*flag))
    }

    /// Do the flags ask for this variant of the protocol?
    pub fn asks_for(&self, protocol: Protocol) -> bool {
        self.flags().contains(&protocol.flag().as_bytes())
    }

    /// The variant to continue with: the last flag wins, as in cf-agent 3.21.0. `None` if there is
    /// no flag; that agent then uses the line protocol.
    pub fn protocol(&self) -> Option<Protocol> {
        // If a field is empty, the agent counts fields differently than words.
        let fields = self.fields.get(3..).unwrap_or_default();
        let last = |flags: &[&[u8]]| {
            flags
                .iter()
                .rev()
                .find_map(|flag| Protocol::from_flag(flag))
        };
        last(self.flags()).or_else(|| last(fields))
    }

    /// Does the module advertise that it handles `action_policy`?
    ///
    /// Source: "Action policy".
    pub fn action_policy(&self) -> bool {
        self.flags().contains(&&b"action_policy"[..])
    }
}

fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
}

fn version_number(word: &[u8]) -> Option<u64> {
    let digits = word.strip_prefix(b"v")?;
    let all_digits = digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits)
        .ok()
        .filter(|_| all_digits)?
        .parse()
        .ok()
}

/// The first line that looks most like a header; otherwise the first line with text.
fn header_line(answer: &[u8], lines: &[Range<usize>]) -> Option<usize> {
    let mut best: Option<(usize, u8)> = None;
    for (index, line) in lines.iter().enumerate() {
        let likeness = likeness(&answer[line.clone()]);
        if likeness > best.map_or(0, |(_, likeness)| likeness) {
            best = Some((index, likeness));
        }
        if likeness == MOST_LIKELY {
            break;
        }
    }
    best.map(|(index, _)| index)
}

const MOST_LIKELY: u8 = 4;

fn likeness(line: &[u8]) -> u8 {
    let words = without_mark(line).split(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
    let words: Vec<_> = words.filter(|word| !word.is_empty()).take(64).collect();
    let flag = words
        .iter()
        .skip(1)
        .any(|word| Protocol::from_flag(word).is_some());
    let version = words
        .get(2)
        .is_some_and(|word| version_number(word).is_some());
    match (words.len(), flag, version) {
        (0, ..) => 0,
        (4.., true, true) => MOST_LIKELY,
        (4.., true, false) => 3,
        (_, true, _) | (_, _, true) => 2,
        _ => 1,
    }
}

fn defects(answer: &[u8], range: &Range<usize>, empty: Option<&Range<usize>>) -> Vec<Defect> {
    let line = &answer[range.clone()];
    let text = without_mark(line);
    let mut defects = Vec::new();
    let mut push = |kind, offset| defects.push(Defect { kind, offset });
    if text.len() < line.len() {
        push(DefectKind::ByteOrderMark, range.start);
    }
    let start = range.end - text.len();
    for (index, byte) in text.iter().enumerate() {
        let kind = match byte {
            b'\r' => DefectKind::CarriageReturn,
            b'\t' => DefectKind::Tab,
            0 => DefectKind::Nul,
            b' ' if index == 0 || matches!(text.get(index + 1), None | Some(b' ' | b'\r')) => {
                DefectKind::EmptyField
            }
            _ => continue,
        };
        push(kind, start + index);
    }
    if let Some(empty) = empty {
        push(DefectKind::CarriageReturn, empty.start);
    }
    defects
}
