//! Words that choose among names, such as `drift and not (clone or "deep copy")`.

use thiserror::Error;

/// The deepest nesting of parentheses and `not`.
const DEEPEST: usize = 64;

/// An expression over words. A word chooses whatever has it in one of its names, in any case of
/// letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Words {
    /// A word.
    Word(String),
    /// Not this.
    Not(Box<Words>),
    /// All of these.
    All(Vec<Words>),
    /// One of these.
    Any(Vec<Words>),
}

/// Why an expression is not understood.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "{what} at character {at}: write words with `and`, `or`, `not`, parentheses, and quotes around spaces"
)]
pub struct WordsError {
    what: String,
    at: usize,
}

impl Words {
    /// Reads an expression.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(text: &str) -> Result<Words, WordsError> {
        let mut parser = Parser {
            tokens: tokens(text)?,
            next: 0,
            end: text.chars().count() + 1,
        };
        let words = parser.any(0)?;
        match parser.peek() {
            None => Ok(words),
            Some(token) => Err(parser.unexpected(&token.clone())),
        }
    }

    /// Does it choose something with these names?
    pub fn choose(&self, names: &[String]) -> bool {
        match self {
            Words::Word(word) => names.iter().any(|name| name.to_lowercase().contains(word)),
            Words::Not(words) => !words.choose(names),
            Words::All(all) => all.iter().all(|words| words.choose(names)),
            Words::Any(any) => any.iter().any(|words| words.choose(names)),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Open,
    Close,
    And,
    Or,
    Not,
}

impl Token {
    fn of(word: &str) -> Token {
        match word {
            "and" => Token::And,
            "or" => Token::Or,
            "not" => Token::Not,
            word => Token::Word(word.to_lowercase()),
        }
    }
}

/// The tokens with the number of their first character, from 1.
fn tokens(text: &str) -> Result<Vec<(Token, usize)>, WordsError> {
    let mut tokens = Vec::new();
    let mut letters = text.chars().zip(1..).peekable();
    while let Some((letter, at)) = letters.next() {
        match letter {
            '(' => tokens.push((Token::Open, at)),
            ')' => tokens.push((Token::Close, at)),
            quote @ ('"' | '\'') => {
                let mut word = String::new();
                loop {
                    match letters.next() {
                        Some((letter, _)) if letter == quote => break,
                        Some((letter, _)) => word.push(letter),
                        None => {
                            let what = "a quote has no end".to_owned();
                            return Err(WordsError { what, at });
                        }
                    }
                }
                tokens.push((Token::Word(word.to_lowercase()), at));
            }
            letter if letter.is_whitespace() => {}
            letter => {
                let mut word = String::from(letter);
                let ends = |letter: char| letter.is_whitespace() || "()\"'".contains(letter);
                while let Some((letter, _)) = letters.next_if(|(letter, _)| !ends(*letter)) {
                    word.push(letter);
                }
                tokens.push((Token::of(&word), at));
            }
        }
    }
    Ok(tokens)
}

struct Parser {
    tokens: Vec<(Token, usize)>,
    next: usize,
    end: usize,
}

impl Parser {
    fn peek(&self) -> Option<&(Token, usize)> {
        self.tokens.get(self.next)
    }

    fn takes(&mut self, token: &Token) -> bool {
        let is_next = self.peek().is_some_and(|(next, _)| next == token);
        self.next += usize::from(is_next);
        is_next
    }

    fn unexpected(&self, (token, at): &(Token, usize)) -> WordsError {
        let what = match token {
            Token::Word(word) => format!("\"{word}\" follows another word"),
            Token::Open => "a parenthesis opens".to_owned(),
            Token::Close => "a parenthesis closes".to_owned(),
            Token::And => "`and` lacks a word".to_owned(),
            Token::Or => "`or` lacks a word".to_owned(),
            Token::Not => "`not` follows a word".to_owned(),
        };
        WordsError { what, at: *at }
    }

    fn any(&mut self, depth: usize) -> Result<Words, WordsError> {
        let mut any = vec![self.all(depth)?];
        while self.takes(&Token::Or) {
            any.push(self.all(depth)?);
        }
        Ok(one_or(any, Words::Any))
    }

    fn all(&mut self, depth: usize) -> Result<Words, WordsError> {
        let mut all = vec![self.one(depth)?];
        while self.takes(&Token::And) {
            all.push(self.one(depth)?);
        }
        Ok(one_or(all, Words::All))
    }

    fn one(&mut self, depth: usize) -> Result<Words, WordsError> {
        let Some((token, at)) = self.peek().cloned() else {
            let what = "a word is missing".to_owned();
            return Err(WordsError { what, at: self.end });
        };
        if depth > DEEPEST {
            let what = "it is nested too deeply".to_owned();
            return Err(WordsError { what, at });
        }
        self.next += 1;
        match token {
            Token::Word(word) => Ok(Words::Word(word)),
            Token::Not => Ok(Words::Not(Box::new(self.one(depth + 1)?))),
            Token::Open => {
                let words = self.any(depth + 1)?;
                if self.takes(&Token::Close) {
                    return Ok(words);
                }
                let what = "the parenthesis is not closed".to_owned();
                Err(WordsError { what, at })
            }
            other => Err(self.unexpected(&(other, at))),
        }
    }
}

fn one_or(mut words: Vec<Words>, several: fn(Vec<Words>) -> Words) -> Words {
    match words.len() {
        1 => words.remove(0),
        _ => several(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chooses(text: &str, names: &[&str]) -> bool {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Words::parse(text).expect("an expression").choose(&names)
    }

    #[test]
    fn words_choose_as_one_reads_them() {
        assert!(chooses("Drift", &["drift/p1", "makes a file"]));
        assert!(chooses("drift and file", &["drift/p1", "makes a file"]));
        assert!(!chooses(
            "drift and not file",
            &["drift/p1", "makes a file"]
        ));
        assert!(chooses("not (a and b) or drift", &["a", "b", "drift"]));
        assert!(chooses("'a file'", &["makes a file"]));
        assert!(!chooses("\"file a\"", &["makes a file"]));
        // `and` binds closer than `or`.
        assert!(chooses("x or a and b", &["x"]));
    }

    #[test]
    fn errors_name_the_character() {
        let error = |text| Words::parse(text).expect_err("no expression");
        assert_eq!(error("").at, 1);
        assert_eq!(error("a and").at, 6);
        assert_eq!(error("a b").at, 3);
        assert_eq!(error("(a").at, 1);
        assert_eq!(error("a)").at, 2);
        assert_eq!(error("'a").at, 1);
        let deep = "(".repeat(10_000);
        assert!(error(&deep).what.contains("deeply"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-c()'\" ]{0,40}|.{0,40}|(a|and|or|not|\\(|\\)| ){0,20}") {
            if let Ok(words) = Words::parse(&text) {
                words.choose(&["a".to_owned()]);
            }
        }
    }
}
