//! The files of a host, which the binary carries and writes out.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files of a host.
#[derive(Clone, Copy, Debug)]
pub struct HostFiles {
    /// The start of its versions, such as `ruby-host`.
    pub name: &'static str,
    /// The file that its interpreter is started with.
    pub entry: &'static str,
    /// Names and contents.
    pub files: &'static [(&'static str, &'static str)],
}

impl HostFiles {
    /// A name for these files: others get another one.
    pub fn version(&self) -> String {
        let texts = self.files.iter().flat_map(|(name, text)| [name, text]);
        let bytes = texts.flat_map(|text| text.bytes());
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        format!("{}-{hash:016x}", self.name)
    }

    /// Writes the files into a folder, and returns the path of the entry. Files that are there
    /// already are left alone. Several processes may do this at once.
    ///
    /// # Errors
    ///
    /// If the folder or a file in it cannot be written.
    pub fn install(&self, dir: &Path) -> io::Result<PathBuf> {
        fs::create_dir_all(dir)?;
        for (name, text) in self.files {
            let path = dir.join(name);
            if fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
                continue;
            }
            // A reader sees the old file or the new one.
            let unfinished = dir.join(format!(".{name}.{}", std::process::id()));
            let written =
                fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, &path));
            if written.is_err() {
                let _ = fs::remove_file(&unfinished);
            }
            written?;
        }
        Ok(dir.join(self.entry))
    }
}
