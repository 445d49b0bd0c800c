//! Strings: where they end, their escapes, and the expressions in them.

use super::{DEPTH, Lexer, Result, words};
use crate::tokens::{Kind, Token};

/// How a text with expressions is read.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// Does a quote end it? Otherwise its end does.
    quoted: bool,
    /// Is `$` an expression?
    pub(super) interpolates: bool,
    /// The signs that a backslash changes. `L` stands for line breaks.
    pub(super) escapes: Escapes,
}

/// Which escapes mean something.
#[derive(Clone, Copy, Default)]
pub(super) struct Escapes {
    /// `\\`, which all that have escapes have.
    pub(super) any: bool,
    pub(super) quotes: bool,
    pub(super) dollar: bool,
    pub(super) tab: bool,
    pub(super) newline: bool,
    pub(super) carriage_return: bool,
    pub(super) space: bool,
    pub(super) unicode: bool,
    pub(super) line_break: bool,
}

/// A string in double quotes.
pub(super) const DOUBLE: Style = Style {
    quoted: true,
    interpolates: true,
    escapes: Escapes {
        any: true,
        quotes: true,
        dollar: true,
        tab: true,
        newline: true,
        carriage_return: true,
        space: true,
        unicode: true,
        line_break: true,
    },
};

impl Style {
    /// The text of a heredoc.
    pub(super) fn heredoc(interpolates: bool, escapes: Escapes) -> Self {
        Self {
            quoted: false,
            interpolates,
            escapes,
        }
    }
}

/// Why a piece of text ends.
enum Stop {
    /// The closing quote, or the end of a heredoc.
    End,
    Dollar,
    DollarBrace,
}

impl Lexer<'_, '_> {
    pub(super) fn single_quoted(&mut self) -> Result<String> {
        self.at += 1;
        let mut out = String::new();
        let swallowed = swallows(self.rest(), '\'', &['\'']);
        let mut characters = self.rest().char_indices().peekable();
        while let Some((at, one)) = characters.next() {
            match one {
                '\'' if at == 0 && swallowed => out.push(one),
                '\'' => {
                    self.at += at + 1;
                    return Ok(out);
                }
                '\\' => match characters.peek() {
                    Some((_, next @ ('\\' | '\''))) => {
                        out.push(*next);
                        characters.next();
                    }
                    _ => out.push('\\'),
                },
                _ => out.push(one),
            }
        }
        let follows = self.followed_by();
        let message = format!("Unclosed quote after \"'\" followed by '{follows}'");
        Err(self.error(self.at, message))
    }

    /// Reads a text with expressions and pushes its tokens. `start` is where it begins, with its
    /// quote.
    pub(super) fn interpolated(
        &mut self,
        start: usize,
        style: Style,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        if self.depth >= DEPTH {
            return Err(self.error(start, "Strings are nested too deep"));
        }
        self.depth += 1;
        let mut before = start;
        let (mut plain, mut ended) = (Kind::Str, false);
        while !ended {
            let mut text = String::new();
            loop {
                let stop = self.slurp(style, &mut text)?;
                match stop {
                    Stop::End => {
                        out.push(self.token(plain, text, before));
                        ended = true;
                        break;
                    }
                    Stop::DollarBrace => {
                        let kind = if plain == Kind::Str {
                            Kind::DqPre
                        } else {
                            Kind::DqMid
                        };
                        out.push(self.token(kind, text, before));
                        self.braced(out)?;
                        break;
                    }
                    Stop::Dollar => {
                        let Some(name) = words::variable(self.rest()) else {
                            // A dollar that begins no variable.
                            text.push('$');
                            continue;
                        };
                        let kind = if plain == Kind::Str {
                            Kind::DqPre
                        } else {
                            Kind::DqMid
                        };
                        out.push(self.token(kind, text, before));
                        out.push(self.token(Kind::Variable, name, self.at - 1));
                        self.at += name.len();
                        break;
                    }
                }
            }
            plain = Kind::DqPost;
            before = self.at;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Reads tokens up to the closing brace of an expression. A first word stands for a variable.
    fn braced(&mut self, out: &mut Vec<Token>) -> Result<()> {
        let outside = self.braces;
        self.braces += 1;
        let first = out.len();
        while !self.ended() {
            let known = out.len();
            self.next(out)?;
            let one = out.len() == known + 1;
            let closes = one && out.last().is_some_and(|last| last.kind == Kind::RBrace);
            if closes && self.braces == outside {
                out.pop();
                let count = out.len() - first;
                let accessed = out.get(first + 1);
                let accessed =
                    accessed.is_some_and(|next| matches!(next.kind, Kind::Dot | Kind::LBrack));
                if (count == 1 || accessed)
                    && let Some(word) = out.get_mut(first)
                    && (matches!(word.kind, Kind::Number | Kind::Name | Kind::Word)
                        || word.kind.is_keyword())
                {
                    if word.kind == Kind::Boolean {
                        // No variable has such a name, and the checks say so.
                        word.text = format!("{{{}}}", word.text);
                    }
                    word.kind = Kind::Variable;
                }
                return Ok(());
            }
        }
        Ok(())
    }

    /// Appends text up to the next sign that ends it, with its escapes replaced.
    fn slurp(&mut self, style: Style, out: &mut String) -> Result<Stop> {
        let rest = self.rest();
        let swallowed = style.quoted && swallows(rest, '"', &['"', '$']);
        let mut escaped = false;
        for (at, byte) in rest.bytes().enumerate() {
            let stop = match byte {
                _ if escaped || swallowed && at == 0 => None,
                b'"' if style.quoted => Some((Stop::End, 1)),
                b'$' if style.interpolates && rest[at + 1..].starts_with('{') => {
                    Some((Stop::DollarBrace, 2))
                }
                b'$' if style.interpolates => Some((Stop::Dollar, 1)),
                _ => None,
            };
            if let Some((stop, length)) = stop {
                self.unescape(&rest[..at], style, out)?;
                self.at += at + length;
                return Ok(stop);
            }
            // Without the escape `\$`, a backslash before a dollar is only a backslash.
            let escapes = style.quoted || style.escapes.dollar;
            escaped = byte == b'\\' && !escaped && escapes;
        }
        if style.quoted || escaped && style.interpolates {
            let message = if style.quoted {
                format!(
                    "Unclosed quote after '\"' followed by '{}'",
                    self.followed_by()
                )
            } else {
                "A heredoc cannot end in a backslash here".to_owned()
            };
            return Err(self.error(self.at, message));
        }
        self.unescape(rest, style, out)?;
        self.at = self.text.len();
        Ok(Stop::End)
    }

    fn unescape(&self, raw: &str, style: Style, out: &mut String) -> Result<()> {
        let escapes = style.escapes;
        if !raw.contains('\\') || !escapes.any {
            out.push_str(raw);
            return Ok(());
        }
        let with_unicode;
        let raw = if escapes.unicode {
            with_unicode = unicode(raw).ok_or_else(|| {
                self.error(self.at, "Unicode escape '\\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff")
            })?;
            with_unicode.as_str()
        } else {
            raw
        };
        let mut characters = raw.chars().peekable();
        while let Some(one) = characters.next() {
            if one != '\\' {
                out.push(one);
                continue;
            }
            let Some(next) = characters.next() else {
                out.push('\\');
                break;
            };
            match next {
                '\\' => out.push('\\'),
                '$' if escapes.dollar => out.push('$'),
                '\'' | '"' if escapes.quotes => out.push(next),
                'r' if escapes.carriage_return => out.push('\r'),
                'n' if escapes.newline => out.push('\n'),
                't' if escapes.tab => out.push('\t'),
                's' if escapes.space => out.push(' '),
                '\n' if escapes.line_break => {}
                '\r' if escapes.line_break && characters.peek() == Some(&'\n') => {
                    characters.next();
                }
                _ => {
                    out.push('\\');
                    out.push(next);
                }
            }
        }
        Ok(())
    }
}

/// Does a text that begins with a quote go on? To Puppet, an empty string does not end before
/// another sign that could end it.
fn swallows(rest: &str, quote: char, ends: &[char]) -> bool {
    let Some(mut behind) = rest.strip_prefix(quote) else {
        return false;
    };
    while let Some(shorter) = behind.strip_prefix("\\\\") {
        behind = shorter;
    }
    behind.starts_with(ends)
}

/// Replaces Unicode escapes, which happens before all other escapes. `None` if one names no
/// character.
fn unicode(raw: &str) -> Option<String> {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        if let Some(code) = behind.strip_prefix('u') {
            let hex = |text: &str| text.bytes().take_while(u8::is_ascii_hexdigit).count();
            let braced = code.strip_prefix('{').map(|inner| (inner, hex(inner)));
            let (digits, length) = match braced {
                Some((inner, count @ 1..=6)) if inner[count..].starts_with('}') => {
                    (&inner[..count], count + 2)
                }
                None if hex(code) >= 4 => (&code[..4], 4),
                _ => {
                    out.push_str("\\u");
                    rest = code;
                    continue;
                }
            };
            out.push(
                u32::from_str_radix(digits, 16)
                    .ok()
                    .and_then(char::from_u32)?,
            );
            rest = &code[length..];
        } else {
            // An escaped sign, which may be a backslash.
            let next = behind.chars().next().map_or(0, char::len_utf8);
            out.push('\\');
            out.push_str(&behind[..next]);
            rest = &behind[next..];
        }
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_strings_may_go_on() {
        assert!(swallows("'' x", '\'', &['\'']));
        assert!(swallows("\"\\\\$", '"', &['"', '$']));
        assert!(!swallows("' '", '\'', &['\'']));
        assert!(!swallows("\"\\$", '"', &['"', '$']));
    }

    #[test]
    fn unicode_escapes_are_replaced() {
        assert_eq!(unicode(r"\u00e9\u{1F600}").as_deref(), Some("é😀"));
        assert_eq!(unicode(r"\\u0041\\\u0041").as_deref(), Some(r"\\u0041\\A"));
        assert_eq!(unicode(r"\u{12").as_deref(), Some(r"\u{12"));
        assert_eq!(unicode(r"\ud800"), None);
    }
}
