//! Which lines hold code, as far as the text shows, for interpreters that do not say.

use crate::feedback::CoverageKind;

/// Words of bash that stand for no command.
const WORDS: [&str; 17] = [
    "if", "elif", "while", "until", "!", "then", "else", "fi", "do", "done", "esac", "in", "{",
    "}", ";;", ";&", ";;&",
];

/// Which lines of a text hold code.
pub(super) fn lines(kind: CoverageKind, texts: &[&str]) -> Vec<bool> {
    let is_blank = |text: &str| text.is_empty() || text.starts_with('#');
    if kind != CoverageKind::Bash {
        return texts.iter().map(|text| !is_blank(text.trim())).collect();
    }
    let starts = starts(texts);
    let texts = texts.iter().zip(starts).enumerate();
    texts
        .map(|(at, (text, start))| at == start && !is_blank(text.trim()) && runs(text.trim()))
        .collect()
}

/// Can bash tell that such a line runs?
fn runs(text: &str) -> bool {
    let first = text.split([' ', '\t', ';', '<', '>', '|', ')']).next();
    let first = first.unwrap_or_default();
    let closes = ["done", "fi", "esac", "}"].contains(&first);
    let only_words = text
        .split([' ', '\t', ';', '(', ')'])
        .all(|word| word.is_empty() || WORDS.contains(&word))
        || text.split_whitespace().all(|word| WORDS.contains(&word));
    // `name() {`, `function name {`, and `pattern)` in a `case`.
    let function = text.starts_with("function ") || text.contains("()");
    let head = function && text.ends_with(['{', ')']);
    let arm = text.trim_end_matches(";;").trim_end();
    let one_word = |part: &str| !part.trim().contains(' ');
    let pattern = arm.ends_with(')') && !arm.contains('(') && arm.split('|').all(one_word);
    !(closes || only_words || head || pattern)
}

/// For each line, the first line of the command that it belongs to.
pub(super) fn starts(texts: &[&str]) -> Vec<usize> {
    let mut scan = Scan::default();
    let mut starts: Vec<usize> = Vec::with_capacity(texts.len());
    for (at, text) in texts.iter().enumerate() {
        let goes_on = scan.continues();
        starts.push(match starts.last() {
            Some(start) if goes_on => *start,
            _ => at,
        });
        scan.line(text, &texts[at + 1..]);
    }
    // What is open at the end was misunderstood: then each line stands for itself.
    match scan.open.is_empty() {
        true => starts,
        false => (0..texts.len()).collect(),
    }
}

/// What encloses a place in a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// `'…'`
    Single,
    /// `$'…'`
    Escaped,
    /// `"…"`
    Double,
    /// `$(…)` or `(…)`, which holds commands.
    Commands,
    /// `name=(…)`, which holds words.
    List,
}

impl Open {
    fn ends_with(self, c: char) -> bool {
        c == match self {
            Open::Single | Open::Escaped => '\'',
            Open::Double => '"',
            Open::Commands | Open::List => ')',
        }
    }
}

/// Follows quotes from line to line.
#[derive(Debug, Default)]
struct Scan {
    open: Vec<Open>,
    /// The last line ended with a backslash.
    joined: bool,
    /// The line that ends a here-document, and whether tabs before it do not count.
    document: Option<(String, bool)>,
}

impl Scan {
    /// Does the next line belong to the same command?
    fn continues(&self) -> bool {
        let in_text = self.open.last().is_some_and(|open| *open != Open::Commands);
        self.joined || in_text || self.document.is_some()
    }

    fn line(&mut self, text: &str, rest: &[&str]) {
        if let Some((end, tabs)) = &self.document {
            let text = if *tabs {
                text.trim_start_matches('\t')
            } else {
                text
            };
            if text == end {
                self.document = None;
            }
            return;
        }
        self.joined = false;
        let chars: Vec<char> = text.chars().collect();
        let mut at = 0;
        while let Some(&c) = chars.get(at) {
            let before = at.checked_sub(1).map(|at| chars[at]);
            let next = chars.get(at + 1).copied();
            at += 1;
            let inner = self.open.last().copied();
            if inner.is_some_and(|inner| inner.ends_with(c)) {
                self.open.pop();
                continue;
            }
            match (inner, c) {
                (Some(Open::Single), _) => {}
                (_, '\\') => {
                    self.joined = next.is_none();
                    at += 1;
                }
                (Some(Open::Escaped), _) => {}
                (_, '$') if next == Some('(') => {
                    self.open.push(Open::Commands);
                    at += 1;
                }
                (Some(Open::Double), _) => {}
                (_, '"') => self.open.push(Open::Double),
                (_, '\'') if before == Some('$') => self.open.push(Open::Escaped),
                (_, '\'') => self.open.push(Open::Single),
                (_, '(') if before == Some('=') => self.open.push(Open::List),
                (_, '(') => self.open.push(Open::Commands),
                (_, '#') if before.is_none_or(char::is_whitespace) => return,
                (_, '<') if next == Some('<') && chars.get(at + 1) == Some(&'<') => at += 2,
                (_, '<') if next == Some('<') => {
                    at += 1;
                    self.document = document(&chars[at..], rest).or(self.document.take());
                }
                _ => {}
            }
        }
    }
}

/// The here-document that begins after `<<`. What no line ends is none, such as a shift of bits.
fn document(after: &[char], rest: &[&str]) -> Option<(String, bool)> {
    let tabs = after.first() == Some(&'-');
    let word = after.iter().skip(usize::from(tabs));
    let word = word.skip_while(|c| **c == ' ');
    let word = word.take_while(|c| !c.is_whitespace() && !";|&<>()".contains(**c));
    let end: String = word.filter(|c| !"'\"\\".contains(**c)).collect();
    let ends = |text: &&str| match tabs {
        true => text.trim_start_matches('\t') == end,
        false => *text == end,
    };
    (!end.is_empty() && rest.iter().any(ends)).then_some((end, tabs))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A script, each line after `+` if it holds code, or after `-`.
    fn check(marked: &str) {
        let marked: Vec<&str> = marked.lines().collect();
        let texts: Vec<&str> = marked.iter().map(|line| &line[1..]).collect();
        let found = lines(CoverageKind::Bash, &texts);
        for ((line, text), found) in marked.iter().zip(&texts).zip(found) {
            assert_eq!(line.starts_with('+'), found, "{text}");
        }
    }

    #[test]
    fn words_comments_and_the_rest_of_a_command_hold_no_code() {
        check(
            "-#!/bin/bash\n-\n+set -eu\n+x=\"a\n-b\n-\"\n-f() {\n+  local y=1\n+  echo one \\\n\
             -    two\n+  cat <<END\n-hello \"\n-END\n-}\n+arr=(\n-  1\n-)\n+case $x in\n-  a*)\n\
             +    f # why\n-    ;;\n+  b) echo b ;;\n-  c | d) ;;\n-esac\n-if {\n+  true\n-} 2>/dev/null; then\n+  :\n-fi\n+if [[ -n $x ]] &&\n+   true; then\n\
             +  echo yes\n-else\n+  echo no\n-fi\n+while read -r l; do\n+  : \"$l\"\n\
             -done < <(printf 'a')\n+z=$(\n+  echo hi\n-)\n+python3 -c '\n-import sys\n-' foo\n\
             +echo \"$(echo \"it's\")\"\n+for i in 1 2\n-do\n+  : \"${#i}\" # don't\n-done\n\
             +((n = 1 << 2))\n+read -r a <<< \"b\"\n+echo $'it\\'s'\n+exit 0",
        );
    }

    #[test]
    fn a_script_that_is_misunderstood_is_judged_line_by_line() {
        check("+echo ${x#'}\n+echo two\n-# three");
    }
}
