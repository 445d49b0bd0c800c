//! Splits a manifest into tokens, as Puppet does: strings are taken apart here.

mod heredoc;
mod number;
mod strings;
mod words;

use crate::error::{Error, Kind as ErrorKind};
use crate::source::Source;
use crate::tokens::{Kind, Token};

/// Strings within strings nest at most so deep.
const DEPTH: usize = 100;

/// All tokens. The last one is [`Kind::End`], or [`Kind::Failed`] if the lexer could not go on.
pub(crate) struct Tokens {
    pub(crate) all: Vec<Token>,
    pub(crate) error: Option<Box<Error>>,
}

pub(crate) fn tokens(source: &Source) -> Tokens {
    let mut all = Vec::new();
    let mut lexer = Lexer::new(source, source.text, Places::Whole);
    let error = lexer.run(&mut all).err();
    all.push(Token {
        kind: if error.is_some() {
            Kind::Failed
        } else {
            Kind::End
        },
        text: String::new(),
        offset: source.text.len(),
    });
    Tokens { all, error }
}

/// Where the lexer's text stands in the file.
enum Places {
    /// It is the file.
    Whole,
    /// It is the text of a heredoc, which begins there in the file: the offset of each line in the
    /// text and in the file, without the margin.
    Lines(usize, Vec<(usize, usize)>),
}

type Result<T> = std::result::Result<T, Box<Error>>;

/// A lexer of the file, or of the text of a heredoc.
struct Lexer<'s, 't> {
    source: &'s Source<'t>,
    text: &'s str,
    places: Places,
    at: usize,
    braces: usize,
    /// Where the line begins.
    line_start: usize,
    /// Where the line after the heredocs of this line begins.
    newline_jump: Option<usize>,
    depth: usize,
    /// The last token. The tokens of a string count only once the string has ended.
    after: Option<Kind>,
    /// Has a search for the end of a regular expression found none? Then none follows.
    no_regexp: bool,
}

impl<'s, 't> Lexer<'s, 't> {
    fn new(source: &'s Source<'t>, text: &'s str, places: Places) -> Self {
        Self {
            source,
            text,
            places,
            at: 0,
            braces: 0,
            line_start: 0,
            newline_jump: None,
            depth: 0,
            after: None,
            no_regexp: false,
        }
    }

    /// The offset in the file.
    fn global(&self, at: usize) -> usize {
        match &self.places {
            Places::Whole => at,
            // To Puppet, the whole text begins before the margin.
            Places::Lines(start, _) if at == 0 => *start,
            Places::Lines(_, lines) => {
                let index = lines.partition_point(|(own, _)| *own <= at);
                let line = lines.get(index.wrapping_sub(1));
                line.map_or(at, |(own, global)| global + (at - own))
            }
        }
    }

    fn error(&self, at: usize, message: impl Into<String>) -> Box<Error> {
        self.source
            .error(ErrorKind::Syntax, self.global(at), message)
    }

    fn token(&self, kind: Kind, text: impl Into<String>, at: usize) -> Token {
        Token {
            kind,
            text: text.into(),
            offset: self.global(at),
        }
    }

    fn rest(&self) -> &'s str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn ended(&self) -> bool {
        self.at >= self.text.len()
    }

    /// What follows, for messages.
    fn followed_by(&self) -> String {
        if self.at >= self.text.len() {
            return "<eof>".to_owned();
        }
        let next: String = self.rest().chars().take(5).collect();
        let shown = format!("{next}...").replace('\t', "\\t");
        shown.replace('\n', "\\n").replace('\r', "\\r")
    }

    fn run(&mut self, out: &mut Vec<Token>) -> Result<()> {
        const MARKS: [(&[u8], &str, &str); 3] = [
            (&[0xef, 0xbb, 0xbf], "UTF-8", "[EF BB BF]"),
            (&[0xf7, 0x64, 0x4c], "UTF-1", "[F7 64 4C]"),
            (&[0xfb, 0xee, 0x28], "BOCU", "[FB EE 28]"),
        ];
        for (mark, name, bytes) in MARKS {
            if self.text.as_bytes().starts_with(mark) {
                return Err(self.error(0, format!(
                    "Illegal {name} Byte Order mark at beginning of input: {bytes} - remove these from the puppet source"
                )));
            }
        }
        while !self.ended() {
            self.next(out)?;
        }
        Ok(())
    }

    /// Makes a step, and remembers the token if it read one.
    fn next(&mut self, out: &mut Vec<Token>) -> Result<()> {
        let known = out.len();
        self.step(out)?;
        if out.len() > known {
            self.after = out.last().map(|last| last.kind);
        }
        Ok(())
    }

    /// Reads blanks, a comment, a token, or all tokens of a string. An error in a string comes
    /// before its tokens.
    fn step(&mut self, out: &mut Vec<Token>) -> Result<()> {
        let before = self.at;
        let Some(first) = self.rest().chars().next() else {
            return Ok(());
        };
        match first {
            '\n' => {
                self.at = self.newline_jump.take().unwrap_or(self.at + 1);
                self.line_start = self.at;
            }
            '\r' => self.at += 1,
            _ if is_blank(first) => self.at += first.len_utf8(),
            '#' => {
                let end = self.rest().find('\n').unwrap_or(self.rest().len());
                self.at += end;
            }
            '"' => {
                self.at += 1;
                let start = out.len();
                let read = self.interpolated(before, strings::DOUBLE, out);
                self.all_or_none(read, start, out)?;
            }
            '\'' => {
                let text = self.single_quoted()?;
                out.push(self.token(Kind::Str, text, before));
            }
            '$' => {
                let name = words::variable(&self.text[before + 1..]).unwrap_or_default();
                self.at += 1 + name.len();
                out.push(self.token(Kind::Variable, name, before));
            }
            '0'..='9' => self.number(out)?,
            'a'..='z' | '_' => self.word(out)?,
            'A'..='Z' => self.class_reference(out)?,
            ':' if self.rest().starts_with("::") => self.qualified(out)?,
            '/' => self.slash(out)?,
            '@' if self.rest().starts_with("@(") => {
                let start = out.len();
                let read = self.heredoc(out);
                self.all_or_none(read, start, out)?;
            }
            _ => self.sign(first, out),
        }
        Ok(())
    }

    fn all_or_none(&self, read: Result<()>, start: usize, out: &mut Vec<Token>) -> Result<()> {
        if read.is_err() {
            out.truncate(start);
        }
        read
    }

    /// A comment, a regular expression, or the sign for division.
    fn slash(&mut self, out: &mut Vec<Token>) -> Result<()> {
        let before = self.at;
        if self.rest().starts_with("/*") {
            let Some(end) = self.rest()[2..].find("*/") else {
                return Err(self.error(before, "Unclosed multiline comment"));
            };
            self.at += end + 4;
            return Ok(());
        }
        let mut end = None;
        if !self.no_regexp && regexp_acceptable(self.after) {
            end = words::regexp_end(&self.rest()[1..]);
            self.no_regexp = end.is_none();
        }
        if let Some(length) = end {
            let text = &self.rest()[1..=length];
            out.push(self.token(Kind::Regex, text.replace("\\/", "/"), before));
            self.at += length + 2;
        } else {
            out.push(self.token(Kind::Div, "/", before));
            self.at += 1;
        }
        Ok(())
    }

    /// A sign, the longest that fits.
    fn sign(&mut self, first: char, out: &mut Vec<Token>) {
        let before = self.at;
        let rest = self.rest();
        let starts = |sign: &str| rest.starts_with(sign);
        let found = SIGNS.iter().find(|(sign, _)| starts(sign));
        let (text, kind) = match (found, first) {
            (Some((sign, _)), '[') => {
                let behind = self.text[..before].chars().next_back();
                let blank = |one: char| is_blank(one) || one == '\r' || one == '\n';
                let list = behind.is_none_or(blank);
                (*sign, if list { Kind::ListStart } else { Kind::LBrack })
            }
            (Some((sign, _)), '(') => {
                let line = self.text.get(self.line_start..before).unwrap_or_default();
                let alone = line.chars().all(|one| is_blank(one) || one == '\r');
                (*sign, if alone { Kind::WsLParen } else { Kind::LParen })
            }
            (Some((sign, _)), '{') => {
                self.braces += 1;
                let selects = self.after == Some(Kind::Question);
                (
                    *sign,
                    if selects {
                        Kind::SelBrace
                    } else {
                        Kind::LBrace
                    },
                )
            }
            (Some((sign, kind)), _) => {
                if first == '}' {
                    self.braces = self.braces.saturating_sub(1);
                }
                (*sign, *kind)
            }
            (None, _) => (&rest[..first.len_utf8()], Kind::Other),
        };
        // To Puppet, a sign that means nothing is empty.
        let shown = if found.is_some() { text } else { "" };
        let shown = if first == '~' { text } else { shown };
        out.push(self.token(kind, shown, before));
        self.at += text.len();
    }
}

/// The longest signs first.
const SIGNS: &[(&str, Kind)] = &[
    ("<<|", Kind::LCollect),
    ("|>>", Kind::RCollect),
    ("=>", Kind::FArrow),
    ("==", Kind::IsEqual),
    ("=~", Kind::Match),
    ("+=", Kind::Appends),
    ("+>", Kind::PArrow),
    ("->", Kind::Edge),
    ("-=", Kind::Deletes),
    ("!=", Kind::NotEqual),
    ("!~", Kind::NoMatch),
    ("~>", Kind::Edge),
    ("<<", Kind::LShift),
    ("<=", Kind::LessEqual),
    ("<|", Kind::LCollect),
    ("<-", Kind::Edge),
    ("<~", Kind::Edge),
    (">>", Kind::RShift),
    (">=", Kind::GreaterEqual),
    ("|>", Kind::RCollect),
    ("@@", Kind::AtAt),
    ("[", Kind::LBrack),
    ("]", Kind::RBrack),
    ("{", Kind::LBrace),
    ("}", Kind::RBrace),
    ("(", Kind::LParen),
    (")", Kind::RParen),
    ("=", Kind::Equals),
    (">", Kind::Greater),
    ("<", Kind::Less),
    ("+", Kind::Plus),
    ("-", Kind::Minus),
    ("*", Kind::Times),
    ("%", Kind::Modulo),
    ("!", Kind::Not),
    (".", Kind::Dot),
    ("|", Kind::Pipe),
    ("@", Kind::At),
    (":", Kind::Colon),
    (",", Kind::Comma),
    (";", Kind::Semicolon),
    ("?", Kind::Question),
];

/// A blank within a line, as Ruby's `[[:blank:]]`.
fn is_blank(one: char) -> bool {
    matches!(
        one,
        ' ' | '\t' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// May a regular expression begin behind the last token?
fn regexp_acceptable(after: Option<Kind>) -> bool {
    let Some(last) = after else {
        return true;
    };
    !matches!(
        last,
        Kind::RParen
            | Kind::RBrack
            | Kind::RCollect
            | Kind::Name
            | Kind::ClassRef
            | Kind::Number
            | Kind::Str
            | Kind::Boolean
            | Kind::DqPre
            | Kind::DqMid
            | Kind::DqPost
            | Kind::Heredoc
            | Kind::Regex
            | Kind::Variable
            | Kind::Word
    )
}

#[cfg(test)]
mod tests;
