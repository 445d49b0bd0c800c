//! The dialects that a program knows.

use crate::face::Face;
use crate::failure::Failure;
use clap::Command;
use std::path::Path;
use stickler_suite::Vocabulary;

/// All dialects, the usual one first, with the command line to which they have added theirs.
pub struct Dialects {
    all: Vec<Box<dyn Face>>,
    line: Command,
}

/// A folder that belongs to a dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The dialect's name.
    pub dialect: &'static str,
    /// Why: what is in the folder.
    pub why: String,
}

/// Several dialects claim a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contested(Vec<Claimed>);

impl std::fmt::Display for Contested {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let claims = self.0.iter();
        let claims = claims.map(|one| format!("{} ({})", one.dialect, one.why));
        let claims = claims.collect::<Vec<_>>().join(" and ");
        write!(f, "the dialects {claims} claim the folder")
    }
}

impl Dialects {
    /// The dialects of a program, of which there is at least one, and its whole command line.
    pub fn new(all: Vec<Box<dyn Face>>, line: Command) -> Dialects {
        Dialects { all, line }
    }

    /// The whole command line.
    pub fn line(&self) -> &Command {
        &self.line
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &dyn Face> {
        self.all.iter().map(|face| &**face)
    }

    /// The dialect of a subject whose description names none.
    pub fn usual(&self) -> &dyn Face {
        &*self.all[0]
    }

    /// The dialect of a name.
    ///
    /// # Errors
    /// If there is no such dialect.
    pub fn named(&self, name: &str) -> Result<&dyn Face, Failure> {
        let mut found = self.all();
        let found = found.find(|face| face.vocabulary().dialect == name);
        found.ok_or_else(|| {
            let known = self.words().into_iter();
            let known = known.map(|words| format!("\"{}\"", words.dialect));
            let known = known.collect::<Vec<_>>().join(" and ");
            Failure::usage(format!(
                "there is no dialect \"{name}\"; this Stickler knows {known}"
            ))
        })
    }

    /// The words of all.
    pub fn words(&self) -> Vec<&'static Vocabulary> {
        self.all().map(Face::vocabulary).collect()
    }

    /// The dialect whose subject a folder is, if there is one.
    ///
    /// # Errors
    /// If several dialects claim it.
    pub fn claimed(&self, folder: &Path) -> Result<Option<Claimed>, Contested> {
        let claims = self.all().filter_map(|face| {
            let why = face.dialect().claims(folder)?;
            let dialect = face.vocabulary().dialect;
            Some(Claimed { dialect, why })
        });
        only(claims.collect())
    }

    /// What makes a folder a subject, for each dialect whose subjects are folders.
    pub fn sought(&self) -> String {
        let sought = self.all().filter_map(|face| {
            let subjects = face.vocabulary().subjects;
            let sought = face.dialect().sought()?;
            Some(format!("{subjects} have {sought}"))
        });
        sought.collect::<Vec<_>>().join("; ")
    }
}

fn only(mut claims: Vec<Claimed>) -> Result<Option<Claimed>, Contested> {
    match claims.len() {
        0 | 1 => Ok(claims.pop()),
        _ => Err(Contested(claims)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Claimed, only};

    #[test]
    fn a_folder_that_two_dialects_claim_is_no_ones() {
        let claim = |dialect, why: &str| Claimed {
            dialect,
            why: why.to_owned(),
        };
        let both = vec![claim("one", "it holds a"), claim("two", "it holds b")];
        let contested = only(both).expect_err("two");
        assert_eq!(
            contested.to_string(),
            "the dialects one (it holds a) and two (it holds b) claim the folder"
        );
    }
}
