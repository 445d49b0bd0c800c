//! What an author declared about the files and commands of an item, and what was found.

use crate::entries::{declared_difference, kind_words};
use crate::words::{cut, shown, visible};
use stickler_transcript::{Account, Bytes, Case, Declared, Entry, Event, Key, Transcript};

/// How what was found differs from what was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// Nothing is at a declared path.
    Missing,
    /// Something is at a path that was declared absent.
    Present,
    /// It is there, but otherwise than declared.
    Otherwise,
    /// A declared command fails.
    Fails,
}

/// A look, after an exchange, at what an author declared.
#[derive(Clone, Copy, Debug)]
pub struct Look<'s> {
    /// The key of the exchange.
    pub key: &'s Key,
    /// What the author declared.
    pub declared: &'s Declared,
    /// What is at the declared path.
    pub found: Option<&'s Entry>,
    /// Why the declared command did not succeed.
    pub failed: Option<&'s str>,
}

impl Look<'_> {
    /// How what was found differs, in words: `` `{dir}/a` is not as the author declared: … ``. `None` if
    /// it does not.
    pub fn broken(&self, case: &Case) -> Option<(Broken, String)> {
        broken(self.declared, self.found, self.failed, case)
    }
}

/// All looks of a session.
pub fn looks(transcript: &Transcript) -> impl Iterator<Item = Look<'_>> {
    transcript.events.iter().filter_map(|event| match event {
        Event::Verified {
            key,
            declared,
            found,
            failed,
            ..
        } => Some(Look {
            key,
            declared,
            found: found.as_deref(),
            failed: failed.as_deref(),
        }),
        _ => None,
    })
}

fn broken(
    declared: &Declared,
    found: Option<&Entry>,
    failed: Option<&str>,
    case: &Case,
) -> Option<(Broken, String)> {
    let (path, broken, what) = match (declared, found) {
        (Declared::Succeeds { words, .. }, _) => {
            let words: Vec<_> = words.iter().map(Bytes::lossy).collect();
            let command = cut(&visible(words.join(" ").as_bytes()), 80);
            let why = cut(&visible(failed?.as_bytes()), 120);
            return Some((Broken::Fails, format!("`{command}` fails: {why}")));
        }
        (Declared::Absent { path }, found) => {
            let what = format!("{} is there", kind_words(found?.kind));
            (path, Broken::Present, what)
        }
        (Declared::Creates { path, .. }, None) => {
            (path, Broken::Missing, "nothing is there".to_owned())
        }
        (Declared::Creates { path, .. }, Some(found)) => {
            (path, Broken::Otherwise, otherwise(declared, found)?)
        }
    };
    let path = shown(path, case, 80);
    let words = format!("`{path}` is not as the author declared: {what}");
    Some((broken, words))
}

/// How an entry differs from the declared one, in words: `its mode is 0600 instead of 0644`. `None` if it does not.
pub fn otherwise(declared: &Declared, found: &Entry) -> Option<String> {
    let Declared::Creates {
        kind,
        mode,
        owner,
        group,
        content,
        ..
    } = declared
    else {
        return None;
    };
    if let Some(kind) = kind.filter(|kind| *kind != found.kind) {
        return Some(format!(
            "it is {} instead of {}",
            kind_words(found.kind),
            kind_words(kind)
        ));
    }
    if let Some(mode) = mode.filter(|mode| *mode != found.mode) {
        return Some(format!(
            "its mode is {:04o} instead of {mode:04o}",
            found.mode
        ));
    }
    for (what, wanted, number) in [("owner", owner, found.uid), ("group", group, found.gid)] {
        match wanted {
            Some(Account::Number(wanted)) if *wanted != number => {
                return Some(format!("its {what} is {number} instead of {wanted}"));
            }
            // The session looks names up.
            _ => {}
        }
    }
    let difference = declared_difference(content.as_ref()?, found)?;
    Some(format!("it {difference}"))
}
