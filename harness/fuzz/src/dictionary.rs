//! Words that a subject knows: from its source, its answers and the author's items, and those that
//! trouble any program.

use crate::dice::Dice;
use crate::input::InputItem;
use crate::pattern::{between_slashes, formatted_by, globbed, samples};
use crate::turns::by_turns;
use std::collections::BTreeSet;
use std::sync::Mutex;
use stickler_suite::values::{HARD, OPERANDS, OWN_INPUT, PATTERNS};
use stickler_transcript::Value;

/// How many patterns are sampled: a source may be nothing but patterns.
const PATTERNS_TRIED: usize = 1_000;
/// How many words are kept.
const MOST: usize = 4_000;
/// With how many of the subject's own words each field is tried.
const OWN: usize = 400;
/// How many words patterns lead to: others come after them.
const SAMPLES: usize = 150;
/// How many names of fields are kept.
const NAMED: usize = 1_000;
/// How many comparisons are kept.
const PAIRS: usize = 512;
/// How many lines of sources are kept, and how many words beside one are tried.
const LINES: usize = 20_000;
const SIBLINGS: usize = 6;
/// The longest length that a source may mean.
const LENGTH: usize = 1 << 16;
/// The longest word.
const LONGEST: usize = 80;

/// Words to put into values, and names of fields.
#[derive(Debug, Default)]
pub struct Dictionary {
    /// Words that trouble any program.
    usual: Vec<Vec<u8>>,
    /// Words of the subject and its items, in the order of their discovery, behind those that its patterns take.
    own: Vec<Vec<u8>>,
    /// How many of these are there.
    samples: usize,
    /// How many patterns were sampled.
    sampled: usize,
    known: BTreeSet<Vec<u8>>,
    /// The short words of each line of the sources.
    lines: Vec<Vec<Vec<u8>>>,
    /// Numbers of the sources that may be lengths.
    lengths: BTreeSet<usize>,
    /// Names of fields.
    pub names: Vec<Vec<u8>>,
    /// Those that are surely fields of items.
    pub(crate) fields: Vec<Vec<u8>>,
    compared: Mutex<Compared>,
}

/// What the subject compared lately: pairs that were not the same.
#[derive(Debug, Default)]
struct Compared {
    pairs: Vec<[Vec<u8>; 2]>,
    known: BTreeSet<[Vec<u8>; 2]>,
    /// The one that is replaced next.
    next: usize,
}

impl Dictionary {
    /// The words that trouble any program.
    pub fn new() -> Self {
        let mut dictionary = Dictionary::default();
        let hard = HARD.iter().flat_map(|hard| [hard.before, hard.after]);
        // A check sends the hard ones, too.
        let others = ODD.iter().chain(PATTERNS).chain(OPERANDS).chain(OWN_INPUT);
        for word in others.map(|word| word.as_bytes()).chain(hard) {
            if !word.is_empty() && dictionary.known.insert(word.to_vec()) {
                dictionary.usual.push(word.to_vec());
            }
        }
        dictionary
    }

    /// Adds pairs that the subject compared; the oldest ones are forgotten.
    pub fn learn(&self, pairs: Vec<[Vec<u8>; 2]>) {
        let mut guard = stickler_suite::lock(&self.compared);
        let compared = &mut *guard;
        for pair in pairs {
            if !compared.known.insert(pair.clone()) {
                continue;
            }
            if compared.pairs.len() < PAIRS {
                compared.pairs.push(pair);
            } else {
                let old = std::mem::replace(&mut compared.pairs[compared.next], pair);
                compared.known.remove(&old);
                compared.next = (compared.next + 1) % PAIRS;
            }
        }
    }

    /// Replaces one side of a comparison in a text by the other side, as if they had been the same.
    /// False if the text has no such side.
    pub(crate) fn satisfy(&self, dice: &mut Dice, text: &mut Vec<u8>) -> bool {
        let compared = stickler_suite::lock(&self.compared);
        let sides = compared
            .pairs
            .iter()
            .flat_map(|[one, other]| [(one, other), (other, one)]);
        let found: Vec<_> = sides
            .filter_map(|(is, wanted)| Some((memchr::memmem::find(text, is)?, is, wanted)))
            .collect();
        let Some((at, is, wanted)) = dice.pick(&found) else {
            return false;
        };
        text.splice(*at..at + is.len(), wanted.iter().copied())
            .for_each(drop);
        true
    }

    /// The words that trouble any program.
    pub(crate) fn usual(&self) -> &[Vec<u8>] {
        &self.usual
    }

    /// The first words of the subject.
    pub(crate) fn own(&self) -> &[Vec<u8>] {
        &self.own[..self.own.len().min(OWN)]
    }

    /// The same, those that patterns lead to by turns with the others.
    pub(crate) fn own_by_turns(&self) -> impl Iterator<Item = &Vec<u8>> {
        let own = self.own();
        let (samples, others) = own.split_at(self.samples.min(own.len()));
        by_turns(vec![samples.iter(), others.iter()])
    }

    /// Lengths at which programs may go wrong, each once: those of usual buffers, and those that the sources name.
    pub(crate) fn lengths(&self) -> Vec<usize> {
        // The most usual ones come first.
        const BITS: [u32; 12] = [6, 8, 10, 12, 5, 7, 9, 4, 11, 13, 14, 16];
        let own = self.lengths.iter().copied();
        let usual = BITS.map(|bits| 1 << bits).into_iter();
        let near = |length: usize| [length, length - 1, length + 1];
        let all = usual.chain(own.filter(|length| *length > 1));
        let mut known = BTreeSet::new();
        let mut all: Vec<usize> = all.flat_map(near).collect();
        all.retain(|length| known.insert(*length));
        all
    }

    /// Words beside this one in the sources, the nearest first: of a field that takes one of a few words, the others.
    pub(crate) fn siblings(&self, word: &[u8]) -> Vec<&[u8]> {
        let is_here = |line: &Vec<Vec<u8>>| line.iter().any(|known| known == word);
        let here = self.lines.iter().enumerate();
        let here = here.filter(|(_, line)| is_here(line)).map(|(at, _)| at);
        let beside = here.flat_map(|at| {
            let around = [at, at + 1, at.wrapping_sub(1), at + 2, at.wrapping_sub(2)];
            let lines = around.into_iter().filter_map(|at| self.lines.get(at));
            lines.flatten().map(Vec::as_slice)
        });
        let mut known: Vec<&[u8]> = Vec::new();
        for one in beside {
            if one != word && !known.contains(&one) {
                known.push(one);
            }
            if known.len() == SIBLINGS {
                break;
            }
        }
        known
    }

    /// One of the words: as often one of the subject's as one of the usual.
    pub(crate) fn word(&self, dice: &mut Dice) -> Vec<u8> {
        if dice.one_in(4) {
            let compared = stickler_suite::lock(&self.compared);
            if let Some(pair) = dice.pick(&compared.pairs) {
                return pair[dice.below(2)].clone();
            }
        }
        let words = if dice.one_in(2) && !self.own.is_empty() {
            &self.own
        } else {
            &self.usual
        };
        dice.pick(words).cloned().unwrap_or_default()
    }

    /// The words that trouble any program, and those of a program's sources.
    pub fn of(sources: &[Vec<u8>]) -> Self {
        let mut dictionary = Dictionary::new();
        for source in sources {
            dictionary.take_source(source);
        }
        dictionary
    }

    /// Adds a word.
    pub fn take(&mut self, word: &[u8]) {
        if word.is_empty() || word.len() > LONGEST || self.own.len() >= MOST {
            return;
        }
        if self.known.insert(word.to_vec()) {
            self.own.push(word.to_vec());
        }
    }

    /// Adds a word that a pattern of the source takes. These come first: nobody guesses them.
    fn take_sample(&mut self, word: &[u8]) {
        let before = self.own.len();
        self.take(word);
        if self.own.len() > before {
            self.own[self.samples..].rotate_right(1);
            self.samples += 1;
        }
    }

    /// Adds the name of a field.
    pub fn take_name(&mut self, name: &[u8]) {
        take_new(&mut self.names, name);
    }

    /// Adds the name of a field of items.
    pub fn take_field(&mut self, name: &[u8]) {
        self.take_name(name);
        take_new(&mut self.fields, name);
    }

    /// The name of a field: mostly one that items surely have.
    pub(crate) fn name(&self, dice: &mut Dice) -> Option<&Vec<u8>> {
        match self.fields.is_empty() || dice.one_in(3) {
            true => dice.pick(&self.names),
            false => dice.pick(&self.fields),
        }
    }

    /// Adds the names and the words of an item.
    pub fn take_item(&mut self, item: &InputItem) {
        for (name, value) in &item.attributes {
            self.take_field(name);
            self.take_value(value);
        }
        for (_, value) in &item.identity {
            self.take_value(value);
        }
    }

    fn take_value(&mut self, value: &Value) {
        for word in value.words() {
            self.take(word);
        }
    }

    /// Adds the words of a shell script that need no quotes: patterns of `case`, and sides of tests.
    fn take_shell(&mut self, line: &[u8]) {
        let line = line.trim_ascii();
        if let Some(patterns) = line
            .split(|byte| *byte == b')')
            .next()
            .filter(|head| head.len() < line.len())
        {
            let is_word = |byte: &u8| !b" \t$(`\"'".contains(byte);
            if patterns.iter().all(is_word) {
                for pattern in patterns.split(|byte| *byte == b'|') {
                    self.take_samples(pattern, globbed);
                    let plain: Vec<u8> = pattern
                        .iter()
                        .copied()
                        .filter(|byte| !b"*?".contains(byte))
                        .collect();
                    self.take(&plain);
                }
            }
        }
        let mut words = shell_words(line).into_iter();
        while let Some(word) = words.next() {
            if [&b"="[..], b"==", b"!=", b"=~"].contains(&word)
                && let Some(side) = words.next().filter(|side| !side.contains(&b'$'))
            {
                self.take(side);
                match word {
                    b"=~" => self.take_samples(side, samples),
                    _ => self.take_samples(&unquoted(side), globbed),
                }
            }
        }
    }

    /// Adds texts that a pattern of the source takes, and ones that it nearly takes.
    fn take_samples(&mut self, pattern: &[u8], sampled: fn(&[u8]) -> Vec<Vec<u8>>) {
        if self.samples >= SAMPLES || self.sampled >= PATTERNS_TRIED {
            return;
        }
        let texts = sampled(pattern);
        self.sampled += usize::from(!texts.is_empty());
        for text in texts {
            if self.samples < SAMPLES {
                self.take_sample(&text);
            }
        }
    }

    /// Adds what a format of `scanf` reads, also with more behind it if the program asks where that begins.
    fn take_format(&mut self, format: &[u8]) {
        let Some(text) = formatted_by(format) else {
            return;
        };
        self.take_sample(&text);
        if format.ends_with(b"%n") {
            self.take_sample(&[&text[..], b"1"].concat());
        }
    }

    /// Adds what stands in quotes in a program's source, its numbers, and their neighbours.
    pub fn take_source(&mut self, source: &[u8]) {
        if source.starts_with(b"\x7fELF") {
            for word in source.split(|byte| !(b' '..=b'~').contains(byte)) {
                if word.len() >= 4 {
                    self.take(word);
                    self.take_format(word);
                }
            }
            return;
        }
        let first = source
            .split(|byte| *byte == b'\n')
            .next()
            .unwrap_or_default();
        let is_shell = first.starts_with(b"#!") && first.ends_with(b"sh");
        for line in source.split(|byte| *byte == b'\n') {
            for pattern in between_slashes(line) {
                self.take_samples(pattern, samples);
            }
            if is_shell {
                self.take_shell(line);
            }
            if self.lines.len() < LINES {
                self.lines.push(short_words(line, is_shell));
            }
            for quote in [b'"', b'\''] {
                let parts: Vec<&[u8]> = line.split(|byte| *byte == quote).collect();
                // A part between two quotes has an odd index.
                for word in parts.iter().skip(1).step_by(2).take(parts.len() / 2) {
                    self.take(word);
                    self.take_format(word);
                    if word.iter().any(|byte| b"\\[+^$*{".contains(byte)) {
                        self.take_samples(word, samples);
                    }
                    self.take_samples(word, globbed);
                    for part in word.split(|byte| b" ,;:|=/".contains(byte)) {
                        self.take(part);
                    }
                    let is_name = |byte: &u8| {
                        byte.is_ascii_lowercase() || *byte == b'_' || byte.is_ascii_digit()
                    };
                    if word.len() < 32 && word.iter().all(is_name) {
                        self.take_name(word);
                    }
                }
            }
            for number in line.split(|byte| !byte.is_ascii_digit()) {
                let text = std::str::from_utf8(number).ok();
                if let Some(value) = text.and_then(|text| text.parse::<u64>().ok())
                    && number.len() > 1
                {
                    for near in [value.saturating_sub(1), value, value.saturating_add(1)] {
                        self.take(near.to_string().as_bytes());
                    }
                    self.lengths.extend(
                        usize::try_from(value)
                            .ok()
                            .filter(|length| *length <= LENGTH),
                    );
                }
            }
        }
    }
}

/// The words in quotes in a line of a source, and the alternatives of a shell's `case`, if they are as short as words of
/// which a field takes one.
fn short_words(line: &[u8], is_shell: bool) -> Vec<Vec<u8>> {
    const SHORT: usize = 24;
    const MANY: usize = 40;
    let mut words: Vec<&[u8]> = Vec::new();
    for quote in [b'"', b'\''] {
        let parts: Vec<&[u8]> = line.split(|byte| *byte == quote).collect();
        words.extend(parts.iter().skip(1).step_by(2).take(parts.len() / 2));
    }
    if is_shell {
        let head = line.split(|byte| *byte == b')').next();
        let head = head.filter(|head| head.len() < line.len());
        let alternatives = head
            .into_iter()
            .flat_map(|head| head.split(|byte| *byte == b'|'));
        let last = |one: &'_ [u8]| -> usize {
            let one = one.trim_ascii_end();
            one.iter()
                .rposition(|byte| *byte == b' ')
                .map_or(0, |at| at + 1)
        };
        words.extend(alternatives.map(|one| one[last(one)..].trim_ascii()));
    }
    let is_word = |word: &&[u8]| {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+.:@".contains(byte);
        (1..=SHORT).contains(&word.len()) && word.iter().all(plain)
    };
    let words = words.into_iter().filter(is_word).take(MANY);
    words.map(<[u8]>::to_vec).collect()
}

/// The words of a line of a shell script: blanks in quotes and behind backslashes are parts of them.
fn shell_words(line: &[u8]) -> Vec<&[u8]> {
    let mut words = Vec::new();
    let (mut from, mut quote, mut escaped) = (0, None, false);
    for (at, byte) in line.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quote != Some(b'\'') => escaped = true,
            b'\'' | b'"' if quote.is_none() => quote = Some(*byte),
            byte if quote == Some(*byte) => quote = None,
            b' ' | b'\t' if quote.is_none() => {
                words.push(&line[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    words.push(&line[from..]);
    words.retain(|word| !word.is_empty());
    words
}

/// A pattern of a shell without its quotes: what stands in them means itself.
fn unquoted(pattern: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut quote = None;
    let mut bytes = pattern.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if quote != Some(b'\'') => {
                plain.push(b'\\');
                plain.extend(bytes.next());
            }
            b'\'' | b'"' if quote.is_none() => quote = Some(*byte),
            byte if quote == Some(*byte) => quote = None,
            byte => {
                if quote.is_some() && b"*?[\\".contains(byte) {
                    plain.push(b'\\');
                }
                plain.push(*byte);
            }
        }
    }
    plain
}

/// Adds a name to others, unless it is there, or there are many.
fn take_new(names: &mut Vec<Vec<u8>>, name: &[u8]) {
    if !name.is_empty() && names.len() < NAMED && !names.iter().any(|known| known == name) {
        names.push(name.to_vec());
    }
}

/// Values at the edges of what programs expect.
const ODD: &[&str] = &[
    // One of each kind first.
    "0",
    "-n",
    "*",
    "é",
    "08",
    "\\",
    "x ",
    "-1",
    "/",
    "%s",
    "$(",
    "-e",
    "[a-z]*",
    "x\r",
    "--",
    "a//b",
    "0x10",
    " x",
    "-x",
    "'",
    "4755",
    "4294967296",
    "::1",
    "1",
    "00",
    "007",
    "1e9",
    "2147483647",
    "2147483648",
    "-2147483649",
    "9223372036854775808",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "1e308",
    "1e400",
    "1e-400",
    "1_000",
    "+5",
    "5.",
    ".5",
    "0b1",
    "0o17",
    "٣",
    "१२",
    "１２",
    "²",
    "Infinity",
    "NaN",
    "null",
    "None",
    "true",
    "false",
    "yes",
    "no",
    "on",
    "//",
    ".",
    "..",
    "../..",
    "/dev/null",
    "/etc/passwd",
    "/proc/self/environ",
    "a/../b",
    "a/../../b",
    "./a",
    "a/",
    "~",
    "?",
    "x\\",
    " ",
    "\t",
    ":",
    ",",
    ";",
    "=",
    "#",
    "&&",
    "|",
    "\"",
    "`",
    "${x}",
    "%",
    "{}",
    "[]",
    "[\"a\"]",
    "{\"a\":1}",
    "<a>",
    "日本",
    "😀",
    "\u{feff}",
    "\u{202e}",
    "İ",
    "ß",
    "0600",
    "0644",
    "0755",
    "07777",
    "u+x",
    "root",
    "nobody",
    "0:0",
    "127.0.0.1",
    "http://127.0.0.1:1/",
];

#[cfg(test)]
mod tests {
    use super::{Dictionary, shell_words, unquoted};

    #[test]
    fn a_shell_keeps_what_stands_in_quotes() {
        let line = b"[[ $t == *'/b'* && $s == plain[\\;\\&\\ ]* || \"a b\" = c ]]";
        let words = shell_words(line);
        assert_eq!(words[3], b"*'/b'*");
        assert_eq!(words[7], b"plain[\\;\\&\\ ]*");
        assert_eq!(words[9], b"\"a b\"");
        for (pattern, plain) in [
            ("*'/b'*", "*/b*"),
            ("*'*'*", "*\\**"),
            ("\"a?\"b?", "a\\?b?"),
            ("plain[\\;\\ ]*", "plain[\\;\\ ]*"),
        ] {
            assert_eq!(unquoted(pattern.as_bytes()), plain.as_bytes(), "{pattern}");
        }
    }

    #[test]
    fn words_that_match_patterns_come_first_in_the_dictionary() {
        let source = b"say('hello')\nre.match('v[0-9]-rc', text)\nsscanf(text, \"n%d;%n\", &a)";
        let own = Dictionary::of(&[source.to_vec()]);
        let first: Vec<_> = own
            .own()
            .iter()
            .take(20)
            .map(|word| word.escape_ascii().to_string())
            .collect();
        assert!(
            first.contains(&"n1;".to_owned()) && first.contains(&"n1;1".to_owned()),
            "{first:?}"
        );
        assert!(
            first
                .iter()
                .any(|word| word.starts_with('v') && word.ends_with("-rc")),
            "{first:?}"
        );
        assert!(own.own().contains(&b"hello".to_vec()));
    }

    #[test]
    fn words_beside_one_are_those_that_a_field_takes_as_well() {
        let siblings = |source: &str, word: &str| -> Vec<String> {
            let dictionary = Dictionary::of(&[source.as_bytes().to_vec()]);
            let siblings = dictionary.siblings(word.as_bytes()).into_iter();
            siblings
                .map(|word| word.escape_ascii().to_string())
                .collect()
        };
        let go = "switch mode {\ncase \"simple\", \"forking\":\n\tgo()\ncase \"oneshot\":\n}\n\n\n\"far\"";
        assert_eq!(siblings(go, "simple"), ["forking", "oneshot"]);
        let shell = "#!/bin/bash\ncase $style in plain | quoted) ;; *) exit ;; esac\n";
        assert_eq!(siblings(shell, "plain"), ["quoted"]);
        assert!(siblings(shell, "absent").is_empty());
    }

    #[test]
    fn numbers_of_the_source_are_lengths() {
        let dictionary = Dictionary::of(&[b"if len(name) == 77:".to_vec()]);
        let lengths = dictionary.lengths();
        for length in [76, 77, 78, 63, 64, 65, 4096] {
            assert!(lengths.contains(&length), "{length}");
        }
        assert!(!lengths.contains(&90));
    }
}
