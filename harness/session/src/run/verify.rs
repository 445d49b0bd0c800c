//! Looks whether what an author declared holds.

use super::Session;
use crate::SessionError;
use crate::sandbox::Tier;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use stickler_transcript::{Declared, Entry, Event, FileType, Key, Plan};

/// The largest content that is recorded, in bytes.
const MOST: u64 = 64 << 10;

impl Session<'_> {
    pub(super) fn verify(
        &mut self,
        plan: &Plan,
        key: &Key,
        declared: &Declared,
    ) -> Result<(), SessionError> {
        let (mut found, mut failed) = (None, None);
        match declared {
            Declared::Creates { path, .. } | Declared::Absent { path } => {
                let snapshot = self.sandbox.snapshot()?;
                found = match snapshot.recorded(path) {
                    Some(known) => known,
                    None if self.sandbox.tier() == Tier::Overlay => of_machine(path),
                    None => None,
                };
            }
            Declared::Succeeds {
                command,
                deadline_us,
                ..
            } => match self.run_helper(plan, *command, *deadline_us) {
                Ok(()) => {}
                Err(SessionError::Command { why, .. }) => failed = Some(why),
                Err(other) => return Err(other),
            },
        }
        let t = self.now();
        self.events.push(Event::Verified {
            t,
            key: key.clone(),
            declared: Box::new(declared.clone()),
            found: found.map(Box::new),
            failed,
        });
        Ok(())
    }
}

/// A file of the machine, which the subject sees unchanged.
fn of_machine(path: &[u8]) -> Option<Entry> {
    let path = Path::new(OsStr::from_bytes(path));
    let found = std::fs::symlink_metadata(path).ok()?;
    let kind = match found.file_type() {
        kind if kind.is_file() => FileType::File,
        kind if kind.is_dir() => FileType::Directory,
        kind if kind.is_symlink() => FileType::Link,
        _ => FileType::Special,
    };
    let content = match kind {
        FileType::File if found.len() <= MOST => std::fs::read(path).ok(),
        FileType::Link => std::fs::read_link(path)
            .ok()
            .map(|target| target.as_os_str().as_bytes().to_vec()),
        _ => None,
    };
    Some(Entry {
        kind,
        mode: found.mode() & 0o7777,
        uid: found.uid(),
        gid: found.gid(),
        size: found.len(),
        digest: None,
        content: content.map(|content| content.as_slice().into()),
    })
}
