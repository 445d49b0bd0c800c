//! What a path leads to.

use serde::{Deserialize, Serialize};

/// The type of a file system entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileType {
    /// Regular file.
    File,
    /// Directory.
    Directory,
    /// Symbolic link.
    Link,
    /// FIFO, socket or device.
    Special,
}
