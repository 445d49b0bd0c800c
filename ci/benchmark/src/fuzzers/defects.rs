//! The planted defects of the gates, by language and by what they are about.

use anyhow::{Result, ensure};
use std::path::Path;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    C,
    Python,
    Bash,
    Ruby,
}

impl Language {
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Python => "python",
            Language::Bash => "bash",
            Language::Ruby => "ruby",
        }
    }

    pub fn source(self) -> &'static str {
        match self {
            Language::C => "gates.c",
            Language::Python => "gates.py",
            Language::Bash => "gates.sh",
            Language::Ruby => "gates.rb",
        }
    }
}

/// What a defect depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Framing,
    Values,
    Sequences,
    Environment,
    Effects,
}

impl Family {
    pub fn name(self) -> &'static str {
        match self {
            Family::Framing => "framing",
            Family::Values => "values",
            Family::Sequences => "sequences",
            Family::Environment => "environment",
            Family::Effects => "effects",
        }
    }
}

#[derive(Clone, Copy)]
pub struct Defect {
    pub language: Language,
    pub family: Family,
    pub name: &'static str,
}

const TABLE: [(Language, Family, &[&str]); 20] = {
    use Family::{Effects, Environment, Framing, Sequences, Values};
    use Language::{Bash, C, Python, Ruby};
    [
        (
            C,
            Framing,
            &[
                "cut_message",
                "cut_key",
                "two_messages",
                "carriage_return",
                "long_line",
                "no_newline",
            ],
        ),
        (
            C,
            Values,
            &[
                "magic_value",
                "letter_by_letter",
                "second_byte",
                "threshold",
                "length_64",
                "length_4096",
                "number_31",
                "number_63",
                "letter_across",
                "version",
                "two_attributes",
                "equal_attributes",
            ],
        ),
        (
            C,
            Sequences,
            &[
                "five_steps",
                "same_again",
                "early_again",
                "warn_between",
                "counter",
                "validate_after",
            ],
        ),
        (
            C,
            Environment,
            &["variable", "mask", "directory", "descriptors"],
        ),
        (C, Effects, &["writes_kept", "writes_warned"]),
        (Python, Framing, &["cut_letter", "two_messages"]),
        (
            Python,
            Values,
            &[
                "word",
                "letters",
                "length_64",
                "number_63",
                "odd_digit",
                "release",
                "escapes",
                "equal",
                "tag_is_message",
            ],
        ),
        (
            Python,
            Sequences,
            &["same_again", "early_again", "warn_between", "rises"],
        ),
        (
            Python,
            Environment,
            &["home", "temporary", "locale", "descriptors"],
        ),
        (
            Python,
            Effects,
            &["warn_writes", "leaves", "again", "old_mode"],
        ),
        (Bash, Framing, &["carriage_return", "long_line"]),
        (
            Bash,
            Values,
            &[
                "word",
                "octal",
                "number_63",
                "backslash",
                "pattern",
                "option",
                "equal",
                "length_256",
            ],
        ),
        (Bash, Sequences, &["same_again", "warn_between", "counter"]),
        (Bash, Environment, &["home", "mask", "directory"]),
        (Bash, Effects, &["writes_warned", "escapes", "leaves"]),
        (
            Ruby,
            Framing,
            &["cut_message", "two_messages", "carriage_return"],
        ),
        (
            Ruby,
            Values,
            &[
                "word",
                "release",
                "length_64",
                "number_31",
                "letters",
                "clauses",
                "two_attributes",
            ],
        ),
        (
            Ruby,
            Sequences,
            &["same_again", "early_again", "counter", "validate_after"],
        ),
        (Ruby, Environment, &["home", "mask", "locale"]),
        (Ruby, Effects, &["warn_writes", "leaves", "remembers"]),
    ]
};

/// Those that are asked for: a language, a family, a defect (`word`), or one in one language (`python/word`). A
/// defect is in the list if it fits one of the words of each kind.
pub fn chosen(words: &[String]) -> Result<Vec<Defect>> {
    let all: Vec<Defect> = TABLE
        .iter()
        .flat_map(|(language, family, names)| {
            names.iter().map(|name| Defect {
                language: *language,
                family: *family,
                name,
            })
        })
        .collect();
    let is = |defect: &Defect, kind: usize, word: &str| match kind {
        0 => defect.language.name() == word,
        1 => defect.family.name() == word,
        _ => defect.name == word || format!("{}/{}", defect.language.name(), defect.name) == word,
    };
    let mut kept = all.clone();
    let mut unknown = words.to_vec();
    for kind in 0..3 {
        let (of_kind, rest): (Vec<_>, Vec<_>) = unknown
            .into_iter()
            .partition(|word| all.iter().any(|defect| is(defect, kind, word)));
        unknown = rest;
        if !of_kind.is_empty() {
            kept.retain(|defect| of_kind.iter().any(|word| is(defect, kind, word)));
        }
    }
    ensure!(
        unknown.is_empty(),
        "there is no language, family or defect {unknown:?}"
    );
    Ok(kept)
}

/// The words of the table are those that the gates know.
pub fn are_planted(planted: &Path, defects: &[Defect]) -> Result<()> {
    for defect in defects {
        let source = std::fs::read_to_string(planted.join(defect.language.source()))?;
        ensure!(
            source.contains(defect.name),
            "{} does not know {}",
            defect.language.source(),
            defect.name
        );
    }
    Ok(())
}
