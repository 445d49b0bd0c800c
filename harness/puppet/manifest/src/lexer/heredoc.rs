//! Heredocs: `@(END)`, and the lines below.

use super::strings::{Escapes, Style};
use super::{DEPTH, Lexer, Places, Result, is_blank};
use crate::tokens::{Kind, Token};

/// What stands between the parentheses.
struct Head<'t> {
    tag: &'t str,
    interpolates: bool,
    syntax: &'t str,
    escapes: Option<&'t str>,
}

/// Reads `end tag:syntax/escapes`.
fn head(text: &str) -> Option<Head<'_>> {
    let end = text.find([':', '/', '\r', '\n']).unwrap_or(text.len());
    let (tag, mut rest) = text.split_at(end);
    let blanks = |text: &'_ str| text.len() - text.trim_start_matches(is_blank).len();
    let mut syntax = "";
    if let Some(behind) = rest.strip_prefix(':') {
        let behind = &behind[blanks(behind)..];
        let word = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '+';
        let length = behind.find(|one| !word(one)).unwrap_or(behind.len());
        if length < 2 || !behind.starts_with(|one: char| one.is_ascii_lowercase()) {
            return None;
        }
        syntax = &behind[..length];
        rest = behind[length..].trim_start_matches(is_blank);
    }
    let mut escapes = None;
    if let Some(behind) = rest.strip_prefix('/') {
        let sign = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '$';
        let length = behind.find(|one| !sign(one)).unwrap_or(behind.len());
        escapes = Some(&behind[..length]);
        rest = behind[length..].trim_start_matches(is_blank);
    }
    let tag = tag.trim();
    let inner = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
    (rest.is_empty() && end > 0).then_some(Head {
        tag: inner.map_or(tag, str::trim),
        interpolates: inner.is_some(),
        syntax,
        escapes,
    })
}

/// The last line of a heredoc: the blanks before `|`, and whether there are `|` and `-`.
struct LastLine<'t> {
    leading: &'t str,
    margin: bool,
    chomps: bool,
}

/// Reads a line, without its line break, as the last one. It need not begin with the tag.
fn last_line<'t>(line: &'t str, tag: &str) -> Option<LastLine<'t>> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let before = line.trim_end_matches(is_blank).strip_suffix(tag)?;
    let mut trimmed = before.trim_end_matches(is_blank);
    let mut chomps = false;
    let mut leading = &before[trimmed.len()..];
    if let Some(head) = trimmed.strip_suffix('-') {
        chomps = true;
        trimmed = head.trim_end_matches(is_blank);
        leading = &head[trimmed.len()..];
    }
    let margin = trimmed.strip_suffix('|');
    if let Some(head) = margin {
        leading = &head[head.trim_end_matches(is_blank).len()..];
    }
    Some(LastLine {
        leading,
        margin: margin.is_some(),
        chomps,
    })
}

impl Lexer<'_, '_> {
    fn escapes(&self, given: Option<&str>) -> Result<Escapes> {
        let mut escapes = Escapes::default();
        let Some(given) = given else {
            return Ok(escapes);
        };
        escapes.any = true;
        let given = if given.is_empty() { "trnsuL$" } else { given };
        let mut seen = String::new();
        for one in given.chars() {
            if seen.contains(one) {
                let all: Vec<String> = given.chars().map(String::from).collect();
                let message = format!(
                    "An escape char for @() may only appear once. Got '{}'",
                    all.join(", ")
                );
                return Err(self.error(self.at, message));
            }
            seen.push(one);
        }
        for one in given.chars() {
            match one {
                't' => escapes.tab = true,
                'r' => escapes.carriage_return = true,
                'n' => escapes.newline = true,
                's' => escapes.space = true,
                'u' => escapes.unicode = true,
                '$' => escapes.dollar = true,
                'L' => escapes.line_break = true,
                _ => {
                    let message = format!(
                        "Invalid heredoc escape char. Only t, r, n, s,  u, L, $ allowed. Got '{one}'"
                    );
                    return Err(self.error(self.at, message));
                }
            }
        }
        Ok(escapes)
    }

    pub(super) fn heredoc(&mut self, out: &mut Vec<Token>) -> Result<()> {
        let before = self.at;
        let text = self.text;
        let Some(close) = self.rest().find(')') else {
            let follows = self.followed_by();
            let message = format!("Unclosed parenthesis after '@(' followed by '{follows}'");
            return Err(self.error(before, message));
        };
        let behind = before + close + 1;
        self.at = behind;
        let Some(head) = head(&text[before + 2..before + close]) else {
            let message = "Invalid syntax in heredoc expected @(endtag[:syntax][/escapes])";
            return Err(self.error(behind, message));
        };
        if head.tag.is_empty() {
            return Err(self.error(behind, "Heredoc with an empty endtag"));
        }
        let escapes = self.escapes(head.escapes)?;
        out.push(self.token(Kind::Heredoc, head.syntax, before));
        let next_line = || text[behind..].find('\n').map(|line| behind + line + 1);
        let Some(start) = self.newline_jump.or_else(next_line) else {
            return Err(self.error(behind, "Heredoc without any following lines of text"));
        };
        let mut at = start;
        loop {
            if at >= text.len() {
                return Err(self.error(start, "Heredoc without end-tagged line"));
            }
            let line = text[at..].split('\n').next().unwrap_or_default();
            let end = (at + line.len() + 1).min(text.len());
            if let Some(last) = last_line(line, head.tag) {
                self.newline_jump = Some(end);
                let style = Style::heredoc(head.interpolates, escapes);
                return self.heredoc_text(start, at, &last, style, out);
            }
            at = end;
        }
    }

    /// Reads the lines of a heredoc, which stand between the offsets.
    fn heredoc_text(
        &mut self,
        start: usize,
        end: usize,
        last: &LastLine,
        style: Style,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        let mut text = String::with_capacity(end - start);
        let mut lines = Vec::new();
        let mut at = start;
        for line in self.text[start..end].split_inclusive('\n') {
            let shorter = line.strip_prefix(last.leading).filter(|_| last.margin);
            let kept = shorter.unwrap_or(line);
            lines.push((text.len(), self.global(at + line.len() - kept.len())));
            text.push_str(kept);
            at += line.len();
        }
        if lines.is_empty() {
            lines.push((0, self.global(start)));
        }
        if last.chomps && text.ends_with('\n') {
            text.pop();
            if text.ends_with('\r') {
                text.pop();
            }
        }
        out.push(self.token(Kind::Sublocate, "", start));
        if self.depth >= DEPTH {
            return Err(self.error(start, "Strings are nested too deep"));
        }
        let mut inner = Lexer::new(self.source, &text, Places::Lines(self.global(start), lines));
        inner.depth = self.depth + 1;
        inner.interpolated(0, style, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_have_three_parts() {
        let read = head("\"END\":json/tL$ ").expect("a head");
        assert_eq!(
            (read.tag, read.syntax, read.escapes),
            ("END", "json", Some("tL$"))
        );
        assert!(read.interpolates);
        assert!(head("END:/").is_none() && head("").is_none());
    }

    #[test]
    fn last_lines_have_margins() {
        let read = last_line("   | - END  ", "END").expect("the last line");
        assert_eq!(
            (read.leading, read.margin, read.chomps),
            ("   ", true, true)
        );
        let read = last_line("text  END", "END").expect("the last line");
        assert_eq!(
            (read.leading, read.margin, read.chomps),
            ("  ", false, false)
        );
        assert!(last_line("END x", "END").is_none());
    }
}
