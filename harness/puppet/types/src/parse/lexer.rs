//! Splits the text into tokens.

use super::{ErrorClass, ParseError};
use crate::regex::{Fault, Pattern};
use std::ops::Range;

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token<'t> {
    /// `[` right behind something.
    Access,
    /// `[` behind a blank, or at the start.
    List,
    CloseList,
    Brace,
    CloseBrace,
    Paren,
    CloseParen,
    Comma,
    Arrow,
    Minus,
    Dot,
    Semicolon,
    Number(&'t str),
    /// A lower-case name, perhaps with `::`.
    Name(&'t str),
    /// A capitalized name, perhaps with `::`.
    Reference(&'t str),
    /// A string, or a bare word with dashes.
    Text(String),
    /// A string with variables in it.
    Interpolated,
    Regexp(String),
    Variable,
    /// `default`, `undef`, `true` and so on.
    Keyword(&'t str),
    /// Any other operator.
    Operator(&'static str),
    /// A character that is nothing.
    Unknown,
}

/// A token and where it is.
#[derive(Debug, Clone)]
pub(super) struct Lexed<'t> {
    pub(super) token: Token<'t>,
    pub(super) span: Range<usize>,
}

const KEYWORDS: [&str; 20] = [
    "case", "class", "default", "define", "if", "elsif", "else", "inherits", "node", "and", "or",
    "undef", "false", "true", "in", "unless", "function", "type", "attr", "private",
];

/// Longer ones first.
const OPERATORS: [&str; 44] = [
    "<<|", "|>>", "==", "=~", "!=", "!~", ">=", "<=", "=>", "+>", "<<", "<|", ">>", "|>", "->",
    "~>", "<-", "<~", "+=", "-=", "@@", "+", "-", "/", "*", "%", "!", ".", "|", "@", ":", ",", ";",
    "?", "~", "=", "<", ">", "[", "]", "{", "}", "(", ")",
];

/// The tokens, up to an error if there is one. The parser may find another one before it.
pub(super) fn tokens(text: &str) -> (Vec<Lexed<'_>>, Option<ParseError>) {
    if text.starts_with('\u{feff}') {
        let message = "Illegal UTF-8 Byte Order mark at beginning of input: [EF BB BF] - \
                       remove these from the puppet source";
        let error = ParseError::new(ErrorClass::Syntax, message, text, 0);
        return (Vec::new(), Some(error));
    }
    let mut lexer = Lexer {
        text,
        at: 0,
        found: Vec::with_capacity(text.len() / 4 + 4),
    };
    while lexer.at < text.len() {
        if let Err(error) = lexer.step() {
            return (lexer.found, Some(error));
        }
    }
    (lexer.found, None)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    found: Vec<Lexed<'t>>,
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// A blank of a line, as `[[:blank:]]` has it.
fn is_blank(character: char) -> bool {
    matches!(
        character,
        '\t' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}'
    ) || matches!(character, '\u{202f}' | '\u{205f}' | '\u{3000}')
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn push(&mut self, token: Token<'t>, length: usize) {
        let span = self.at..self.at + length;
        self.at = span.end;
        self.found.push(Lexed { token, span });
    }

    fn error(&self, message: &str, offset: usize) -> ParseError {
        ParseError::syntax(message, self.text, offset)
    }

    fn step(&mut self) -> Result<(), ParseError> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(());
        };
        match first {
            '\n' => self.at += 1,
            _ if is_blank(first) => self.at += first.len_utf8(),
            '#' => self.at += rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => match rest.find("*/") {
                Some(end) if end >= 2 => self.at += end + 2,
                _ => match rest[2..].find("*/") {
                    Some(end) => self.at += end + 4,
                    None => return Err(self.error("Unclosed multiline comment", self.at)),
                },
            },
            '/' if self.regexp_fits() && self.regexp()? => {}
            '\'' => self.single_quoted()?,
            '"' => self.double_quoted()?,
            '0'..='9' => self.number()?,
            'A'..='Z' => self.reference(0)?,
            'a'..='z' | '_' => self.name()?,
            ':' if rest.starts_with("::") => match rest[2..].chars().next() {
                Some('A'..='Z') => self.reference(2)?,
                Some('a'..='z' | '_') => self.name()?,
                _ => return Err(self.error("Illegal fully qualified name", self.at + 2)),
            },
            '$' => {
                let name = rest[1..].find(|one| !is_word(one) && one != ':');
                self.push(Token::Variable, name.map_or(rest.len(), |end| end + 1));
            }
            '@' if rest.starts_with("@(") => {
                return Err(self.error("a heredoc is not supported in a type", self.at));
            }
            _ => self.operator(first),
        }
        Ok(())
    }

    fn operator(&mut self, first: char) {
        let rest = self.rest();
        let is_next = |one: &&&str| rest.starts_with(**one);
        // No longer operator begins with these.
        let alone = ["[", "]", "{", "}", ","].iter().find(is_next);
        let Some(operator) = alone.or_else(|| OPERATORS.iter().find(is_next)).copied() else {
            return self.push(Token::Unknown, first.len_utf8());
        };
        let token = match operator {
            "[" => {
                let before = self.text[..self.at].chars().next_back();
                if before.is_none_or(|one| one == '\n' || is_blank(one)) {
                    Token::List
                } else {
                    Token::Access
                }
            }
            "]" => Token::CloseList,
            "{" => Token::Brace,
            "}" => Token::CloseBrace,
            "(" => Token::Paren,
            ")" => Token::CloseParen,
            "," => Token::Comma,
            "=>" => Token::Arrow,
            "-" => Token::Minus,
            "." => Token::Dot,
            ";" => Token::Semicolon,
            _ => Token::Operator(operator),
        };
        self.push(token, operator.len());
    }

    /// Behind a value, a slash divides.
    fn regexp_fits(&self) -> bool {
        !self.found.last().is_some_and(|last| {
            matches!(
                &last.token,
                Token::CloseParen
                    | Token::CloseList
                    | Token::Name(_)
                    | Token::Reference(_)
                    | Token::Number(_)
                    | Token::Text(_)
                    | Token::Interpolated
                    | Token::Regexp(_)
                    | Token::Variable
            ) || matches!(last.token, Token::Keyword("true" | "false"))
        })
    }

    /// `false` if there is no closing slash.
    fn regexp(&mut self) -> Result<bool, ParseError> {
        let rest = self.rest();
        let mut escaped = false;
        for (index, character) in rest.char_indices().skip(1) {
            match character {
                '/' if !escaped => {
                    let source = rest[1..index].replace("\\/", "/");
                    if let Some(Fault::Invalid(message)) = Pattern::new(source.as_str()).fault() {
                        return Err(ParseError::new(
                            ErrorClass::Regexp,
                            message.clone(),
                            self.text,
                            self.at,
                        ));
                    }
                    self.push(Token::Regexp(source), index + 1);
                    return Ok(true);
                }
                '\\' => escaped = !escaped,
                _ => escaped = false,
            }
        }
        Ok(false)
    }

    fn unclosed(&self, quote: &str) -> ParseError {
        let rest: String = self.rest().chars().skip(1).take(5).collect();
        let follows = if rest.is_empty() {
            "<eof>".to_owned()
        } else {
            format!("{rest}...")
        };
        let message = format!("Unclosed quote after {quote} followed by '{follows}'");
        self.error(&message, self.at + 1)
    }

    fn single_quoted(&mut self) -> Result<(), ParseError> {
        let rest = self.rest();
        // Puppet takes a second quote for a character if a third one can close the string.
        if rest.starts_with("'''") {
            self.push(Token::Text("'".to_owned()), 3);
            return Ok(());
        }
        let mut text = String::new();
        let mut characters = rest.char_indices().skip(1);
        while let Some((index, character)) = characters.next() {
            match character {
                '\'' => {
                    self.push(Token::Text(text), index + 1);
                    return Ok(());
                }
                '\\' => match characters.next() {
                    Some((_, quoted @ ('\\' | '\''))) => text.push(quoted),
                    Some((_, other)) => {
                        text.push('\\');
                        text.push(other);
                    }
                    None => break,
                },
                other => text.push(other),
            }
        }
        Err(self.unclosed("\"'\""))
    }

    fn double_quoted(&mut self) -> Result<(), ParseError> {
        let rest = self.rest();
        if rest.starts_with("\"\"\"") {
            self.push(Token::Text("\"".to_owned()), 3);
            return Ok(());
        }
        let mut text = String::new();
        let mut interpolated = false;
        let mut characters = rest.char_indices().skip(1).peekable();
        while let Some((index, character)) = characters.next() {
            match character {
                '"' => {
                    let token = if interpolated {
                        Token::Interpolated
                    } else {
                        Token::Text(text)
                    };
                    self.push(token, index + 1);
                    return Ok(());
                }
                '$' => {
                    let next = characters.peek().map(|(_, next)| *next);
                    interpolated |= next.is_some_and(|next| is_word(next) || next == '{');
                    text.push('$');
                }
                '\\' => {
                    let Some((_, escaped)) = characters.next() else {
                        break;
                    };
                    match escaped {
                        'n' => text.push('\n'),
                        'r' => text.push('\r'),
                        't' => text.push('\t'),
                        's' => text.push(' '),
                        '\\' | '$' | '\'' | '"' => text.push(escaped),
                        '\n' => {}
                        '\r' if characters.peek().is_some_and(|(_, next)| *next == '\n') => {
                            characters.next();
                        }
                        'u' => {
                            let mut digits = String::new();
                            let braces = characters.next_if(|(_, next)| *next == '{').is_some();
                            let most = if braces { 6 } else { 4 };
                            while digits.len() < most
                                && let Some((_, digit)) =
                                    characters.next_if(|(_, next)| next.is_ascii_hexdigit())
                            {
                                digits.push(digit);
                            }
                            let whole = if braces {
                                characters.next_if(|(_, next)| *next == '}').is_some()
                            } else {
                                digits.len() == 4
                            };
                            let code = u32::from_str_radix(&digits, 16).ok();
                            match code.and_then(char::from_u32).filter(|_| whole) {
                                Some(character) => text.push(character),
                                None => {
                                    text.push_str("\\u");
                                    text.push_str(if braces { "{" } else { "" });
                                    text.push_str(&digits);
                                }
                            }
                        }
                        other => {
                            text.push('\\');
                            text.push(other);
                        }
                    }
                }
                other => text.push(other),
            }
        }
        Err(self.unclosed("'\"'"))
    }

    fn number(&mut self) -> Result<(), ParseError> {
        let rest = self.rest();
        let ends_well = |length: usize| {
            let next = rest[length..].chars().next();
            !next.is_some_and(|next| next.is_alphanumeric() || next == '_')
        };
        let digits = |from: usize| {
            let tail = &rest[from..];
            from + tail
                .find(|digit: char| !digit.is_ascii_digit())
                .unwrap_or(tail.len())
        };
        let mut ends = Vec::new();
        if rest.starts_with("0x") || rest.starts_with("0X") {
            let tail = &rest[2..];
            let hex = tail.find(|digit: char| !digit.is_ascii_hexdigit());
            let end = 2 + hex.unwrap_or(tail.len());
            if end > 2 {
                ends.push(end);
            }
        }
        let whole = digits(0);
        let mut end = whole;
        ends.push(end);
        if rest[end..].starts_with('.') && digits(end + 1) > end + 1 {
            end = digits(end + 1);
            ends.push(end);
        }
        if rest[end..].starts_with(['e', 'E']) {
            let sign = usize::from(rest[end + 1..].starts_with('-'));
            let from = end + 1 + sign;
            if digits(from) > from {
                ends.push(digits(from));
            }
        }
        ends.sort_unstable();
        let found = ends.into_iter().rev().find(|end| ends_well(*end));
        let word = rest.find(|one| !is_word(one)).unwrap_or(rest.len());
        let shown = found.map_or(&rest[..word], |end| &rest[..end]);
        if let Some(message) = bad_number(shown) {
            return Err(self.error(&message, self.at));
        }
        match found {
            Some(end) => self.push(Token::Number(shown), end),
            None => return Err(self.error(&format!("Illegal number '{shown}'"), self.at)),
        }
        Ok(())
    }

    fn reference(&mut self, skip: usize) -> Result<(), ParseError> {
        let rest = self.rest();
        let mut end = skip;
        loop {
            let tail = &rest[end..];
            end += tail.find(|one| !is_word(one)).unwrap_or(tail.len());
            let more = rest[end..].strip_prefix("::");
            if !more.is_some_and(|more| more.starts_with(|one: char| one.is_ascii_uppercase())) {
                break;
            }
            end += 2;
        }
        if rest[end..].starts_with("::") {
            let message = "Illegal class reference";
            return Err(self.error(message, self.at + skip + 1));
        }
        self.push(Token::Reference(&rest[..end]), end);
        Ok(())
    }

    fn name(&mut self) -> Result<(), ParseError> {
        let rest = self.rest();
        let mut end = 0;
        loop {
            let start = end + if rest[end..].starts_with("::") { 2 } else { 0 };
            let tail = &rest[start..];
            if !tail.starts_with(|one: char| one.is_ascii_lowercase() || one == '_') {
                break;
            }
            let run = tail.find(|one| !is_word(one) && one != '-');
            // A word may have dashes inside, but not at its end.
            end = start
                + tail[..run.unwrap_or(tail.len())]
                    .trim_end_matches('-')
                    .len();
            if !rest[end..].starts_with("::") {
                break;
            }
        }
        let word = &rest[..end];
        let segments = word.strip_prefix("::").unwrap_or(word).split("::");
        let plain = |segment: &str| {
            segment.starts_with(|one: char| one.is_ascii_lowercase())
                && segment.chars().all(is_word)
        };
        let is_name = segments.clone().all(plain);
        let token = if KEYWORDS.contains(&word) {
            Token::Keyword(word)
        } else if is_name {
            Token::Name(word)
        } else {
            Token::Text(word.to_owned())
        };
        self.push(token, end);
        Ok(())
    }
}

/// What is wrong with a number, if anything is.
fn bad_number(text: &str) -> Option<String> {
    let all = |text: &str, fits: fn(&char) -> bool| {
        !text.is_empty() && text.chars().all(|one| fits(&one))
    };
    if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        return (!all(digits, char::is_ascii_hexdigit))
            .then(|| format!("Not a valid hex number {text}"));
    }
    if text.len() > 1 && text.starts_with('0') && !text.starts_with("0.") {
        return (!all(&text[1..], |digit| ('0'..='7').contains(digit)))
            .then(|| format!("Not a valid octal number {text}"));
    }
    let digits = text.find(|digit: char| !digit.is_ascii_digit());
    match digits.map(|end| &text[end..]) {
        None => None,
        Some(tail) if tail.starts_with(['e', 'E', '.']) => {
            let number = text.parse::<f64>().is_ok() && !tail.contains('+');
            (!number).then(|| format!("Not a valid decimal number {text}"))
        }
        Some(_) => Some(format!("Illegal number '{text}'")),
    }
}
