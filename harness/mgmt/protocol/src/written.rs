//! What an evaluation wrote to files that several resources share, line by line.

use crate::session::Call;
use std::collections::BTreeSet;
use stickler_reading::sections::{bare, bare_lines, has_text, lines, section_in, section_of};
use stickler_transcript::FileType;

/// The lines that an evaluation added to files.
pub(crate) struct Written<'s> {
    /// One for each.
    pub(crate) files: Vec<File<'s>>,
}

/// A file that it wrote.
pub(crate) struct File<'s> {
    pub(crate) path: &'s [u8],
    /// The new lines.
    pub(crate) lines: Vec<&'s [u8]>,
    /// The whole content.
    pub(crate) content: &'s [u8],
}

impl<'s> Written<'s> {
    /// What a call wrote.
    pub(crate) fn by(call: &'s Call) -> Self {
        let files = call.effects.iter().flatten().filter_map(|change| {
            let after = change
                .after
                .as_ref()
                .filter(|after| after.kind == FileType::File)?;
            let content = &after.content.as_ref()?[..];
            let before = change
                .before
                .as_ref()
                .and_then(|before| before.content.as_ref());
            let old: BTreeSet<Vec<u8>> =
                before.map_or_else(BTreeSet::new, |old| bare_lines(old).collect());
            let is_new = |line: &&[u8]| has_text(line) && !old.contains(&bare(line));
            Some(File {
                path: &change.path,
                lines: lines(content).filter(is_new).collect(),
                content,
            })
        });
        Written {
            files: files.collect(),
        }
    }

    /// The first of the lines that another evaluation takes away.
    pub(crate) fn lost_in(&self, call: &Call) -> Option<String> {
        self.files.iter().find_map(|file| {
            let (before, after) = contents(call, file.path)?;
            let had: BTreeSet<Vec<u8>> = bare_lines(before).collect();
            let has: BTreeSet<Vec<u8>> = bare_lines(after).collect();
            let lost = file.lines.iter().find(|line| {
                let line = bare(line);
                had.contains(&line) && !has.contains(&line)
            });
            lost.map(|line| stickler_reading::words::visible(line))
        })
    }

    /// Does another evaluation take a line away from the section in which this one wrote it, while that section stays?
    pub(crate) fn loses_its_section_in(&self, call: &Call) -> bool {
        self.files.iter().any(|file| {
            let Some((before, after)) = contents(call, file.path) else {
                return false;
            };
            file.lines.iter().any(|line| {
                let section = section_of(file.content, line);
                section.is_some_and(|section| {
                    let stays = lines(after).any(|one| bare(one) == bare(section));
                    stays
                        && section_of(before, line).is_some_and(|one| bare(one) == bare(section))
                        && section_in(after, section).all(|one| bare(one) != bare(line))
                })
            })
        })
    }
}

/// The contents of a file before and after a call, if the call changed it.
fn contents<'c>(call: &'c Call, path: &[u8]) -> Option<(&'c [u8], &'c [u8])> {
    let mut changes = call.effects.iter().flatten();
    let change = changes.find(|change| change.path[..] == *path)?;
    let before = change.before.as_ref()?.content.as_ref()?;
    let after = change.after.as_ref()?.content.as_ref()?;
    Some((before, after))
}
