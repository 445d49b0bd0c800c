//! Looks whether what an author declared holds.

use super::Session;
use super::start::UNSTARTED;
use crate::SessionError;
use crate::sandbox::Tier;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use stickler_transcript::{Account, Declared, Entry, Event, FileType, Key, Plan};

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
        let mut declared = declared.clone();
        match &declared {
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
                // A command that is not there says nothing about the subject.
                Err(SessionError::Command { why, .. }) if !why.starts_with(UNSTARTED) => {
                    failed = Some(why);
                }
                Err(other) => return Err(other),
            },
        }
        if found.is_some() {
            self.look_up(&mut declared)?;
        }
        let t = self.now();
        self.events.push(Event::Verified {
            t,
            key: key.clone(),
            declared: Box::new(declared),
            found: found.map(Box::new),
            failed,
        });
        Ok(())
    }
}

impl Session<'_> {
    /// Replaces names of users and groups by their numbers in the sandbox.
    fn look_up(&mut self, declared: &mut Declared) -> Result<(), SessionError> {
        let Declared::Creates {
            path, owner, group, ..
        } = declared
        else {
            return Ok(());
        };
        let databases = [
            (owner, "/etc/passwd", "user"),
            (group, "/etc/group", "group"),
        ];
        for (account, file, what) in databases {
            let Some(Account::Name(name)) = account else {
                continue;
            };
            let snapshot = self.sandbox.snapshot()?;
            let changed = snapshot.recorded(file.as_bytes()).flatten();
            let content = changed
                .and_then(|entry| entry.content)
                .map(|content| content.to_vec());
            let content = content
                .or_else(|| std::fs::read(file).ok())
                .unwrap_or_default();
            let Some(number) = number_of(&content, name) else {
                return Err(SessionError::Command {
                    what: format!("`creates` of {}: looking up \"{name}\"", path.lossy()),
                    why: format!(
                        "{file} of the sandbox has no such {what}: make it in `setup`, or write a number"
                    ),
                });
            };
            *account = Some(Account::Number(number));
        }
        Ok(())
    }
}

/// The number of a name in a database of users or groups.
fn number_of(database: &[u8], name: &str) -> Option<u32> {
    let database = String::from_utf8_lossy(database);
    let mut lines = database.lines().map(|line| line.split(':'));
    lines.find_map(|mut fields| match fields.next() == Some(name) {
        true => fields.nth(1)?.parse().ok(),
        false => None,
    })
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

#[cfg(test)]
mod tests {
    use super::number_of;

    #[test]
    fn a_name_has_the_number_of_its_line() {
        let users = b"root:x:0:0::/root:/bin/sh\nann:x:1001:1002::/:\nanna:x:7:7::/:\nbad:x\n";
        assert_eq!(number_of(users, "ann"), Some(1001));
        assert_eq!(number_of(users, "root"), Some(0));
        for name in ["an", "bad", "", "x"] {
            assert_eq!(number_of(users, name), None, "{name}");
        }
    }
}
