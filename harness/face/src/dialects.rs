//! The dialects that a program knows.

use crate::face::Face;
use crate::failure::Failure;
use clap::Command;
use std::path::Path;
use stickler_suite::Vocabulary;

/// The file that describes a subject.
pub const CONFIG: &str = "stickler.toml";

/// All dialects, the usual one first, with the command line to which they have added theirs.
pub struct Dialects {
    all: Vec<Box<dyn Face>>,
    line: Command,
}

/// A dialect that was chosen among all.
pub struct Chosen<'d> {
    /// All dialects.
    pub dialects: &'d Dialects,
    /// The chosen one.
    pub face: &'d dyn Face,
    /// Why, in words that continue a sentence: "`--dialect` names it".
    pub why: String,
}

impl std::fmt::Display for Chosen<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.face.vocabulary().dialect, self.why)
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

    /// Each of them, as if it was chosen.
    pub fn each(&self) -> impl Iterator<Item = Chosen<'_>> {
        self.all().map(|face| Chosen {
            dialects: self,
            face,
            why: String::new(),
        })
    }

    /// The dialect of a name.
    ///
    /// # Errors
    /// If there is no such dialect.
    pub fn named(&self, name: &str) -> Result<Chosen<'_>, Failure> {
        let mut each = self.each();
        let found = each.find(|one| one.face.vocabulary().dialect == name);
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

    /// The dialect whose subject a folder is, if there is one, and what in the folder says so.
    ///
    /// # Errors
    /// If several dialects claim it.
    pub fn claimed(&self, folder: &Path) -> Result<Option<(&dyn Face, String)>, Failure> {
        let claims = self
            .all()
            .filter_map(|face| Some((face, face.dialect().claims(folder)?)));
        let mut claims: Vec<_> = claims.collect();
        if claims.len() < 2 {
            return Ok(claims.pop());
        }
        let claims = claims
            .iter()
            .map(|(face, why)| format!("{} ({why})", face.vocabulary().dialect));
        Err(Failure::usage(format!(
            "{}: the dialects {} claim the folder\n  choose one: write [subject] with dialect = \"…\" in a {CONFIG}",
            folder.display(),
            claims.collect::<Vec<_>>().join(" and ")
        )))
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
