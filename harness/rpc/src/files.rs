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
        format!("{}-{}", self.name, digest(texts.copied()))
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
            write(&dir.join(name), text)?;
        }
        Ok(dir.join(self.entry))
    }
}

/// Writes a file, unless it has this content. A reader sees the old file or the new one.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// A short name for texts: others get another one.
pub fn digest<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let bytes = texts.into_iter().flat_map(str::bytes);
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}
